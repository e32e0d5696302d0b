export { type Arrivals, arrivalCount, PoissonArrivals, SteadyArrivals } from './schedule/arrivals.js';
export { createSchedule } from './schedule/create-schedule.js';
export { type LanePlace, laneArrival, laneArrivalCount, laneCount } from './schedule/lane.js';
export { type RatePoint, type RateProfile, RateProfileSchema, type RateStep } from './schedule/profile.js';
export type { Schedule } from './schedule/schedule.js';
