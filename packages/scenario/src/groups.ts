import { type Group, LIMITS, nearest } from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { entry, type Reader } from './reader.js';
import type { SourceMapping } from './source-tree.js';
import { ScenarioShape } from './written/scenario.js';

const DEFAULT_GROUPS: readonly Group[] = [{ name: 'workers', size: 1 }];

/** What `--workers` and `--group name=n` say. */
export interface SizeFlags {
  readonly workers: number | undefined;
  readonly groupSizes: Readonly<Record<string, number>>;
}

export interface Groups {
  /** In the order of writing. */
  readonly all: readonly Group[];
  /** Names of groups whose sizes could not be read; they stand as 1. */
  readonly unsized: ReadonlySet<string>;
}

/** Reads `groups`, in the order of writing, with the sizes that flags override. */
export function readGroups(root: SourceMapping, flags: SizeFlags, reader: Reader): Groups {
  const node = entry(root, 'groups')?.value;
  const mapping = reader.mapping(node, 'groups', 'groups and their sizes, such as { clients: 3 }');
  if (node !== undefined && mapping === null) return { all: [], unsized: new Set() };
  const sizeSchema = ScenarioShape.groups.unwrap().valueType;
  const groups: { name: string; size: number | null }[] = (mapping?.entries ?? []).map(
    ({ key, keyAt, value }) => {
      const path = under('groups', key);
      reader.name(key, keyAt, path);
      return { name: key, size: reader.leaf(sizeSchema, value, path) ?? null };
    },
  );
  if (groups.length > 100) reader.findings.of('groups', `has ${groups.length} groups; allowed: at most 100`);
  if (groups.length === 0) groups.push(...DEFAULT_GROUPS);
  applyFlags(groups, flags, reader.findings);
  const all = groups.map(({ name, size }) => ({ name, size: size ?? 1 }));
  const total = all.reduce((sum, { size }) => sum + size, 0);
  if (total > LIMITS.workers)
    reader.findings.of('groups', `${total} workers in all; allowed: at most ${LIMITS.workers}`);
  return { all, unsized: new Set(groups.filter(({ size }) => size === null).map(({ name }) => name)) };
}

function applyFlags(
  groups: { name: string; size: number | null }[],
  flags: SizeFlags,
  findings: Findings,
): void {
  const names = groups.map(({ name }) => name);
  for (const [name, size] of Object.entries(flags.groupSizes)) {
    const group = groups.find((candidate) => candidate.name === name);
    if (group === undefined) {
      const near = nearest(name, names);
      findings.flag(
        '--group',
        `there is no group ${shown(name)}${near === null ? '' : `; did you mean ${near}?`}; groups: ${names.join(', ')}`,
      );
    } else if (checkSize('--group', name, size, findings)) group.size = size;
  }
  if (flags.workers === undefined) return;
  const [only, second] = groups;
  if (only === undefined || second !== undefined)
    findings.flag(
      '--workers',
      `the scenario has the groups ${names.join(', ')}; say which: --group ${names[0] ?? 'name'}=${flags.workers}`,
    );
  else if (checkSize('--workers', only.name, flags.workers, findings)) only.size = flags.workers;
}

function checkSize(flag: string, name: string, size: number, findings: Findings): boolean {
  if (Number.isInteger(size) && size >= 1 && size <= LIMITS.workers) return true;
  findings.flag(flag, `group ${shown(name)} cannot have ${size} workers; allowed: 1 to ${LIMITS.workers}`);
  return false;
}
