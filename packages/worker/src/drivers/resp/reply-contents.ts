import type { Keys } from '@pacecar/protocol';
import type { ChannelLane } from '../../engine/channel-lane.js';
import type { SharedText } from '../../engine/shared-text.js';
import { RecordOwners } from '../../engine/record-owners.js';
import { fieldKey, ValueCheck } from '../../engine/value-source.js';
import { FoundKeys } from './found-keys.js';
import { ReplyInvalid } from '../wire/reply-invalid.js';
import type { ScanCursors } from './scan-cursors.js';
import type { Answer } from './script.js';

const FIELD_PREFIX_BYTES = 'field'.length;
const ZERO = 48;

/** What is done with the string at hand. */
const USE = { none: 0, check: 1, fieldName: 2, cursor: 3, key: 4 } as const;

/** Uses the strings inside replies: checks values against their keys, keeps cursors and found keys. */
export class ReplyContents {
  /** A value of the reply at hand was not the right one. */
  isWrong = false;
  readonly #lane: ChannelLane;
  readonly #check: ValueCheck;
  readonly #owners: RecordOwners;
  readonly #cursors: ScanCursors | null;
  /** By slot, made when first needed. */
  readonly #found: (FoundKeys | undefined)[] = [];
  #slot = 0;
  #answer: Answer | null = null;
  #use: number = USE.none;
  /** By what the record is marked that the reply at hand is; -1: it cannot be known. */
  #record = 0;
  /** Key that the value at hand belongs to. */
  #owner = 0;
  #field = 0;
  #nameBytes = 0;

  constructor(
    lane: ChannelLane,
    { text, keys }: { text: SharedText; keys: Keys },
    cursors: ScanCursors | null,
  ) {
    this.#lane = lane;
    this.#check = new ValueCheck(text);
    this.#owners = new RecordOwners(keys);
    this.#cursors = cursors;
  }

  /** The keys that the last scan in a slot found. */
  found(slot: number): FoundKeys {
    let found = this.#found[slot];
    if (found === undefined) {
      found = new FoundKeys();
      this.#found[slot] = found;
    }
    return found;
  }

  /** Reply number `reply` of a step of the operation in `slot` begins. */
  begin(slot: number, answer: Answer, reply: number): void {
    const { contents } = answer;
    this.#slot = slot;
    this.#answer = answer;
    this.#use = USE.none;
    this.isWrong = false;
    if (contents === 'keys') this.found(slot).clear();
    if (contents === 'value' || contents === 'part') {
      this.#use = USE.check;
      this.#owner = this.#lane.keyIn(slot);
    } else if (contents === 'fields' || contents === 'field') {
      this.#record = this.#owners.ofKey(this.#lane.keyIn(slot));
    } else if (contents === 'found fields' || contents === 'found field') {
      this.#record = this.#owners.ofText(this.found(slot).at(reply));
    }
  }

  /** Element `index` of the reply comes. */
  element(index: number): void {
    const lane = this.#lane;
    const slot = this.#slot;
    this.#use = USE.none;
    switch (this.#answer?.contents) {
      case 'values':
        this.#use = USE.check;
        this.#owner = lane.batchKeyIn(slot, index);
        break;
      case 'field':
      case 'found field':
        if (this.#record < 0) break;
        this.#use = USE.check;
        this.#owner = fieldKey(this.#record, lane.fieldIn(slot));
        break;
      case 'fields':
      case 'found fields':
        if (this.#record < 0) break;
        // Names and values by turns.
        this.#use = index % 2 === 0 ? USE.fieldName : USE.check;
        if (index % 2 === 1) this.#owner = fieldKey(this.#record, this.#field);
        break;
      case 'cursor':
        if (index === 0) this.#use = USE.cursor;
        break;
      case 'keys':
        this.#use = USE.key;
        break;
      default:
    }
  }

  bodyBegins(length: number): void {
    if (this.#use === USE.check) this.#beginCheck(length);
    else if (this.#use === USE.cursor && this.#cursors?.begin(this.#slot, length) !== true)
      throw new ReplyInvalid('a cursor that is no number of 64 bits');
    this.#field = this.#use === USE.fieldName ? 0 : this.#field;
    this.#nameBytes = 0;
  }

  body(bytes: Uint8Array, start: number, end: number): void {
    switch (this.#use) {
      case USE.check:
        this.#check.add(bytes, start, end);
        break;
      case USE.fieldName:
        for (let at = start; at < end; at++)
          if (this.#nameBytes++ >= FIELD_PREFIX_BYTES)
            this.#field = this.#field * 10 + (bytes[at] as number) - ZERO;
        break;
      case USE.cursor:
        this.#cursors?.add(this.#slot, bytes, start, end);
        break;
      case USE.key:
        this.found(this.#slot).add(bytes, start, end);
        break;
      default:
    }
  }

  #beginCheck(length: number): void {
    const range = this.#answer?.contents === 'part' ? this.#answer.range : null;
    if (range === null) {
      this.#check.begin(this.#owner, length);
      return;
    }
    const { offsetBytes: offset, lengthBytes: asked } = range;
    this.#check.beginPart(this.#owner, { offset, asked, received: length });
  }

  bodyEnds(): void {
    if (this.#use === USE.check && !this.#check.right) this.isWrong = true;
    else if (this.#use === USE.key) this.found(this.#slot).end();
  }
}
