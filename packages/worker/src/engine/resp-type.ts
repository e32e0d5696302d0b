/** The byte that a value of RESP begins with. */
export const STATUS = 43;
export const ERROR = 45;
export const INTEGER = 58;
export const BULK = 36;
export const ARRAY = 42;
/** From here on of RESP3. */
export const NULL = 95;
export const BOOLEAN = 35;
export const DOUBLE = 44;
export const BIG_NUMBER = 40;
export const BULK_ERROR = 33;
export const VERBATIM = 61;
export const MAP = 37;
export const SET = 126;
export const PUSH = 62;
export const ATTRIBUTE = 124;
