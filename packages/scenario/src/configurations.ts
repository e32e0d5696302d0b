import {
  type Configuration,
  type DriverDescription,
  nearest,
  TARGET_SCHEMES,
  type TargetScheme,
} from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { entry, type Reader } from './reader.js';
import { refuseService } from './acts.js';
import type { Services } from './services.js';
import { readSettings } from './settings.js';
import type { SourceMapping } from './source-tree.js';
import type { PlacedStage } from './stages.js';
import type { SecretPlaces } from './secret-places.js';
import { readTarget } from './target.js';
import { readDatabase, type ReadTarget } from './target-url.js';
import { ConfigurationShape } from './written/scenario.js';
import { ServiceTargetShape } from './written/service.js';

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
  services: Services,
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
        : targetNode.kind === 'mapping' && entry(targetNode, 'service') !== undefined
          ? readServiceTarget(targetNode, under(path, 'target'), named?.scheme ?? null, services, reader)
          : readTarget(targetNode, under(path, 'target'), named?.scheme ?? null, reader, secrets);
    // Where none is named, the first driver that speaks to such a target.
    const driver = named ?? drivers.find(({ scheme }) => scheme === (read?.scheme ?? 'redis'));
    if (driver === undefined && read !== null)
      reader.findings.of(path, `there is no driver for ${read.scheme}:// targets`, 'UNSUPPORTED');
    if (named === undefined || driver === undefined) return [];
    const settings = readSettings(
      entry(inner, 'settings')?.value,
      { title: `the driver ${driver.name}`, word: 'setting', schema: driver.settings },
      under(path, 'settings'),
      reader,
    );
    if (name === null || read === null || settings === null) return [];
    const configuration = { name, driver: driver.name, target: read.target, settings };
    const refusal = driver.refusal?.(configuration) ?? null;
    if (refusal !== null) reader.findings.of(path, refusal);
    return [{ configuration, driver }];
  });
}

/** A target that the run itself starts. Its address is known then; until then it has none. */
function readServiceTarget(
  node: SourceMapping,
  path: string,
  wanted: TargetScheme | null,
  services: Services,
  reader: Reader,
): ReadTarget | null {
  const fields = reader.fields(ServiceTargetShape, node, path);
  const { service: name } = fields;
  if (name === undefined) return null;
  if (!services.names.includes(name)) {
    refuseService(name, under(path, 'service'), reader, services);
    return null;
  }
  const speaks = services.placed.get(name)?.recipe.speaks;
  // What is wrong with the service has been said.
  if (speaks === undefined) return null;
  if ((wanted ?? speaks) !== speaks || !Object.hasOwn(TARGET_SCHEMES, speaks)) {
    reader.findings.of(
      path,
      `the service ${shown(name)} speaks the protocol of ${speaks}, and ` +
        (wanted === null ? 'there is no driver for it' : `the driver here speaks that of ${wanted}`),
      'UNSUPPORTED',
    );
    return null;
  }
  const scheme = speaks as TargetScheme;
  const database = readDatabase(fields.database ?? '', scheme);
  if (typeof database === 'string') {
    reader.findings.of(under(path, 'database'), database);
    return null;
  }
  const nowhere = { host: 'service', port: 0, username: null, password: null };
  return { scheme, target: { kind: 'service', ...nowhere, ...database, service: name } };
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
        const objection = lacking.length === 0 ? (driver.objection?.(workload, configuration) ?? null) : null;
        if (objection !== null) findings.of(path, `${where} does not suit ${user}: ${objection}`);
      }
    }
}
