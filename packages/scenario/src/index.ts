export { describePlan } from './describe.js';
export { estimateMs } from './estimate.js';
export { formatProblems, type Problem } from './problem.js';
export { type ScenarioInput, type ScenarioResult, readScenario } from './read.js';
export { scenarioJsonSchema } from './json-schema.js';
export { scenarioReference } from './reference.js';
