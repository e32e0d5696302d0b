export { openBundle } from './bundle/bundle-source.js';
export { type Verification, verifyBundle } from './bundle/verification.js';
