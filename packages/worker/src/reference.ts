export { driversReference } from './drivers/reference.js';
export { recipesReference } from './services/reference.js';
