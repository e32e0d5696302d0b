import { type Action, PacecarError, type Workload } from '@pacecar/protocol';
import { type CommandForm, CommandShapes } from '../wire/command-shape.js';
import type { MemcachedSettings } from './description.js';
import { OUTCOME, OUTCOMES } from './reply.js';

type Protocol = MemcachedSettings['protocol'];

/** What an outcome means for an operation. */
export const VERDICT = { breach: 0, hit: 1, miss: 2, failure: 3 } as const;

/** How an action is said: one command on a key, or one after the other for each of its keys. */
export interface Phrase {
  /** Of an action on one key: its commands, which are sent together. */
  readonly commands: readonly CommandShapes[];
  /** Of a batch: what is said of its first, its inner and its last key, and of the only one. */
  readonly batch: {
    readonly first: CommandShapes;
    readonly inner: CommandShapes;
    readonly last: CommandShapes;
    readonly only: CommandShapes;
  } | null;
  /** Each key of the batch has a reply of its own; else there is one for all. */
  readonly repliesByKey: boolean;
  /** Of a reply: one of VERDICT by OUTCOME. */
  readonly verdicts: Uint8Array;
  /** What is sent once the reply to the first command is there. */
  readonly second: { readonly command: CommandShapes; readonly verdicts: Uint8Array } | null;
}

const LINE_END = Buffer.from('\r\n');

const WRITES = verdicts({ done: 'hit', notFound: 'failure', notStored: 'failure', exists: 'failure' });
const READS = verdicts({ read: 'hit' });
const COUNTS = verdicts({ done: 'hit', notFound: 'failure' });
const STORES_OR_NOT = verdicts({ done: 'hit', notStored: 'miss', notFound: 'miss' });
const FINDS = verdicts({ done: 'hit', notFound: 'miss' });

/** The phrases of a workload's actions. Throws PacecarError for an action that the driver lacks or that lacks something. */
export function phrasesOf(workload: Workload, protocol: Protocol): Phrase[] {
  let forms = 0;
  const shapes = (form: CommandForm) => new CommandShapes(form, workload, forms++);
  return workload.mix.map((action) => phraseOf(action, protocol, shapes));
}

function phraseOf(action: Action, protocol: Protocol, shapes: (form: CommandForm) => CommandShapes): Phrase {
  const isMeta = protocol === 'meta';
  const life = Math.round((action.timeToLiveMs ?? 0) / 1_000);
  const phrase = (own: Uint8Array, forms: readonly CommandForm[], rest: Partial<Phrase> = {}): Phrase => ({
    ...{ commands: forms.map(shapes), batch: null, repliesByKey: false, verdicts: own, second: null },
    ...rest,
  });
  const one = (form: CommandForm, own: Uint8Array) => phrase(own, [form]);
  const store = (name: string, mode: string): CommandForm =>
    isMeta ? metaStore(`${mode}${life === 0 ? '' : ` T${life}`}`) : textStore(name, life);
  switch (action.operation) {
    case 'get':
      return one(get(isMeta), READS);
    case 'put':
    case 'insert':
      return one(store('set', ''), WRITES);
    case 'add':
      return one(store('add', ' ME'), STORES_OR_NOT);
    case 'replace':
      return one(store('replace', ' MR'), STORES_OR_NOT);
    case 'delete':
      return one(word(isMeta ? 'md ' : 'delete ', ''), FINDS);
    case 'expire':
      if (action.timeToLiveMs === null)
        throw new PacecarError('REQUEST_INVALID', `the action ${action.name} (expire) needs a time to live`);
      // Not mg with T: its misses would count as those of gets.
      return one(word('touch ', ` ${life}`), FINDS);
    case 'increment':
      // An absent counter begins at 0, as everywhere else.
      if (isMeta) return one(word('ma ', ' N0 J1'), COUNTS);
      return phrase(COUNTS, [word('add ', ' 0 0 1 noreply\r\n0'), word('incr ', ' 1')]);
    case 'getAll':
      return phrase(READS, [], { batch: batchGet(isMeta, shapes), repliesByKey: isMeta });
    case 'putAll': {
      const each = shapes(store('set', ''));
      const batch = { first: each, inner: each, last: each, only: each };
      return phrase(WRITES, [], { batch, repliesByKey: true });
    }
    case 'readModifyWrite': {
      const second = { command: shapes(store('set', '')), verdicts: WRITES };
      return phrase(READS, [get(isMeta)], { second });
    }
    default:
      throw new PacecarError('UNSUPPORTED', `the driver memcached has no ${action.operation}`);
  }
}

/** Several keys in one command, or several commands. */
function batchGet(isMeta: boolean, shapes: (form: CommandForm) => CommandShapes): Phrase['batch'] {
  const only = shapes(get(isMeta));
  if (isMeta) return { first: only, inner: only, last: only, only };
  const part = (before: string, end: Uint8Array): CommandForm => ({
    beforeKey: () => Buffer.from(before),
    value: null,
    end,
  });
  const nothing = new Uint8Array(0);
  return {
    first: shapes(part('get ', nothing)),
    inner: shapes(part(' ', nothing)),
    last: shapes(part(' ', LINE_END)),
    only,
  };
}

function get(isMeta: boolean): CommandForm {
  return isMeta ? word('mg ', ' v') : word('get ', '');
}

function word(before: string, after: string): CommandForm {
  return { beforeKey: () => Buffer.from(before), value: null, end: Buffer.from(`${after}\r\n`) };
}

function metaStore(flags: string): CommandForm {
  return {
    beforeKey: () => Buffer.from('ms '),
    value: { beforeLength: Buffer.from(' '), afterLength: Buffer.from(`${flags}\r\n`) },
    end: LINE_END,
  };
}

function textStore(name: string, lifeS: number): CommandForm {
  return {
    beforeKey: () => Buffer.from(`${name} `),
    value: { beforeLength: Buffer.from(` 0 ${lifeS} `), afterLength: LINE_END },
    end: LINE_END,
  };
}

function verdicts(by: Partial<Record<keyof typeof OUTCOME, keyof typeof VERDICT>>): Uint8Array {
  const made = new Uint8Array(OUTCOMES);
  for (const [outcome, verdict] of Object.entries(by))
    made[OUTCOME[outcome as keyof typeof OUTCOME]] = VERDICT[verdict];
  return made;
}
