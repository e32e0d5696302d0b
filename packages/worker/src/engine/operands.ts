/**
 * What one operation is made of, as its stream gives it; the docstring of OperationStream says which kind of operation
 * has what. The stream itself is one; an operation in several steps is said from a copy, when the stream has long gone
 * on.
 */
export interface Operands {
  readonly key: number;
  readonly valueBytes: number;
  readonly number: number;
  readonly items: number;
  readonly field: number;
  readonly writtenField: number;
  readonly keys: Float64Array;
  readonly sizes: Float64Array;
  readonly fields: Int32Array;
  readonly numbers: Float64Array;
}
