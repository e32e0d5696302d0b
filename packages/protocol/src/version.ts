/** Of all packages, which are released together; a test holds it equal to package.json. */
export const PACECAR_VERSION = '0.1.0';
