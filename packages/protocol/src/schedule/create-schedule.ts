import { ConstantSchedule } from './constant.js';
import { type Piece, PiecewiseSchedule } from './piecewise.js';
import type { RatePoint, RateProfile, RateStep } from './profile.js';
import type { Schedule } from './schedule.js';
import { SineSchedule } from './sine.js';

type Replayed = Extract<RateProfile, { kind: 'points' }>;

/** `profile` as `RateProfileSchema` lets it through. */
export function createSchedule(profile: RateProfile): Schedule {
  switch (profile.kind) {
    case 'constant':
      return new ConstantSchedule(profile.ratePerSec);
    case 'sine':
      return new SineSchedule(profile);
    case 'steps':
      return new PiecewiseSchedule([
        ...profile.steps.map(flat),
        forEver(profile.steps.at(-1)?.ratePerSec ?? 0),
      ]);
    case 'ramp':
      return new PiecewiseSchedule([profile, forEver(profile.toPerSec)]);
    default:
      return new PiecewiseSchedule(profile.points.map((point, index) => pieceFrom(profile, point, index)));
  }
}

function pieceFrom(profile: Replayed, point: RatePoint, index: number): Piece {
  const next = profile.points[index + 1];
  if (next === undefined) return forEver(point.ratePerSec);
  const toPerSec = profile.between === 'linear' ? next.ratePerSec : point.ratePerSec;
  return { durationMs: next.atMs - point.atMs, fromPerSec: point.ratePerSec, toPerSec };
}

function flat(step: RateStep): Piece {
  return { durationMs: step.durationMs, fromPerSec: step.ratePerSec, toPerSec: step.ratePerSec };
}

function forEver(ratePerSec: number): Piece {
  return { durationMs: Number.POSITIVE_INFINITY, fromPerSec: ratePerSec, toPerSec: ratePerSec };
}
