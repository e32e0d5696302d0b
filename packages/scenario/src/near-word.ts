export { nearest, wordDistance } from '@pacecar/protocol';
