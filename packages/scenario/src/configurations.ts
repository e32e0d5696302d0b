import { type Configuration, type DriverDescription, nearest } from '@pacecar/protocol';
import { z } from 'zod';
import { type Findings, under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { entry, type Reader } from './reader.js';
import { type SourceMapping, type SourceNode, typedScalar } from './source-tree.js';
import type { PlacedStage } from './stages.js';
import { readTarget, type SecretPlaces } from './target.js';
import { ConfigurationShape } from './written/scenario.js';

const HOLDS = 'configurations by name, such as { builtin: { target: builtin } }';

/** A configuration and its driver, known to the running programs. */
export interface PlacedConfiguration {
  readonly configuration: Configuration;
  readonly driver: DriverDescription;
}

/** Reads `configurations`; those that cannot be read are left out, which has been said. */
export function readConfigurations(
  root: SourceMapping,
  drivers: readonly DriverDescription[],
  reader: Reader,
  secrets: SecretPlaces,
): readonly PlacedConfiguration[] {
  const node = entry(root, 'configurations')?.value;
  const mapping = reader.mapping(node, 'configurations', HOLDS);
  if (mapping?.entries.length === 0)
    reader.findings.of('configurations', `has no configuration; write ${HOLDS}`);
  return (mapping?.entries ?? []).flatMap(({ key, keyAt, value }) => {
    const path = under('configurations', key);
    const name = reader.name(key, keyAt, path);
    const inner = reader.mapping(value, path, 'target, driver and settings');
    if (inner === null) return [];
    const fields = reader.fields(ConfigurationShape, inner, path);
    const named = fields.driver === undefined ? null : drivers.find(({ name }) => name === fields.driver);
    if (named === undefined)
      refuseDriver(fields.driver ?? '', drivers, under(path, 'driver'), reader.findings);
    const targetNode = entry(inner, 'target')?.value;
    const read =
      targetNode === undefined
        ? null
        : readTarget(targetNode, under(path, 'target'), named?.scheme ?? null, reader, secrets);
    // Where none is named, the first driver that speaks to such a target.
    const driver = named ?? drivers.find(({ scheme }) => scheme === (read?.scheme ?? 'redis'));
    if (driver === undefined && read !== null)
      reader.findings.of(path, `there is no driver for ${read.scheme}:// targets`, 'UNSUPPORTED');
    if (named === undefined || driver === undefined) return [];
    const settings = readSettings(entry(inner, 'settings')?.value, driver, under(path, 'settings'), reader);
    if (name === null || read === null || settings === null) return [];
    return [{ configuration: { name, driver: driver.name, target: read.target, settings }, driver }];
  });
}

function refuseDriver(
  name: string,
  drivers: readonly DriverDescription[],
  path: string,
  findings: Findings,
): void {
  const names = drivers.map((driver) => driver.name);
  const near = nearest(name, names);
  findings.of(
    path,
    `there is no driver ${shown(name)}${near === null ? '' : `; did you mean ${near}?`}; drivers: ${names.join(', ')}`,
    'UNSUPPORTED',
  );
}

/** A setting as YAML types it, before the driver has looked at it. */
type SettingValue = ReturnType<typeof typedScalar>;

/** The driver's settings with its defaults, by its own schema. */
function readSettings(
  node: SourceNode | undefined,
  driver: DriverDescription,
  path: string,
  reader: Reader,
): Configuration['settings'] | null {
  const mapping =
    node === undefined ? null : reader.mapping(node, path, `settings of the driver ${driver.name}`);
  if (node !== undefined && mapping === null) return null;
  const typed: Record<string, SettingValue> = {};
  let complete = true;
  for (const { key, value } of mapping?.entries ?? []) {
    const expanded = reader.text(value, under(path, key), 'a text, a number, or true or false');
    if (expanded === null) complete = false;
    else typed[key] = value.kind === 'scalar' ? typedScalar(expanded.text, value.plain) : expanded.text;
  }
  const result = driver.settings.safeParse(typed);
  if (result.success) return complete ? result.data : null;
  for (const issue of result.error.issues) reportSetting(issue, typed, driver, mapping, path, reader);
  return null;
}

function reportSetting(
  issue: z.core.$ZodIssue,
  typed: Readonly<Record<string, SettingValue>>,
  driver: DriverDescription,
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
): void {
  if (issue.code === 'unrecognized_keys') {
    const known = knownSettings(driver);
    for (const key of issue.keys) {
      const near = nearest(key, known);
      const at = entry(mapping, key)?.keyAt ?? mapping?.at ?? 0;
      reader.findings.at(
        at,
        under(path, key),
        `the driver ${driver.name} has no setting ${shown(key)}${near === null ? '' : `; did you mean ${near}?`}; ` +
          (known.length === 0 ? 'it has none' : `settings: ${known.join(', ')}`),
        'UNSUPPORTED',
      );
    }
    return;
  }
  const key = issue.path.length === 0 ? null : String(issue.path[0]);
  const found =
    key === null || typed[key] === undefined ? '' : `${shown(String(typed[key]))} is not allowed: `;
  reader.findings.of(
    key === null ? path : under(path, key),
    `${found}${issue.message.replace(/^Invalid input: /, '')} (setting of the driver ${driver.name})`,
  );
}

/** Names of a driver's settings, as far as its schema tells them. */
function knownSettings(driver: DriverDescription): string[] {
  let schema: z.ZodType = driver.settings;
  while (schema instanceof z.ZodReadonly || schema instanceof z.ZodOptional)
    schema = schema.unwrap() as z.ZodType;
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Refuses what a driver cannot do, by operation and driver, or its target cannot take, before anything is sent. */
export function checkSupport(
  configurations: readonly PlacedConfiguration[],
  stages: readonly PlacedStage[],
  findings: Findings,
): void {
  for (const { stage, path, mixes } of stages)
    for (const [index, { path: mixPath, read }] of mixes.entries()) {
      const workload = stage.workloads[index];
      if (workload === undefined) continue;
      const where = `the stage ${shown(stage.name)} (${path})`;
      for (const { configuration, driver } of configurations) {
        const user = `the driver ${driver.name} of configuration ${configuration.name}`;
        const lacking = read
          ? workload.mix.filter(({ operation }) => !driver.operations.includes(operation))
          : [];
        for (const { operation } of lacking)
          findings.of(
            mixPath,
            `${where} needs the operation ${operation}, which ${user} lacks; it has ${driver.operations.join(', ')}`,
            'UNSUPPORTED',
          );
        const objection = lacking.length === 0 ? (driver.objection?.(workload) ?? null) : null;
        if (objection !== null) findings.of(path, `${where} does not suit ${user}: ${objection}`);
      }
    }
}
