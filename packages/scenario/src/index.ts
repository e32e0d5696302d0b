export { describePlan } from './describe.js';
export { estimateMs } from './estimate.js';
export { parseAmount, parseCount, parseDuration, parseRate, parseRatio, parseSize } from './flag-value.js';
export { scenarioJsonSchema } from './json-schema.js';
export { formatProblems, type Problem } from './problem.js';
export { readScenario, type ScenarioInput, type ScenarioResult } from './read.js';
export { scenarioReference } from './reference/reference.js';
