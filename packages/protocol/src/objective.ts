export * from './objective/objective-tally.js';
export * from './objective/probe-judgement.js';
export * from './objective/probe-tally.js';
