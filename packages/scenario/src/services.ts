import { LIMITS, nearest, type RecipeDescription, type Service } from '@pacecar/protocol';
import { under } from './findings.js';
import type { Groups } from './groups.js';
import { shown } from './quantity/decimal.js';
import { entry, type Reader } from './reader.js';
import { readSettings } from './settings.js';
import type { SourceMapping } from './source-tree.js';
import { notePassword, type SecretPlaces } from './secret-places.js';
import { ServiceShape } from './written/service.js';

const HOLDS = 'services by name, such as { cache: { recipe: redis-server } }';
const DEFAULT_GROUP = 'servers';
const DEFAULT_READY_MS = 60_000;

/** A service, and what only the scenario knows of it. */
export interface PlacedService {
  readonly service: Service;
  readonly recipe: RecipeDescription;
  /** Whether it runs on from cell to cell. */
  readonly keep: boolean;
}

/** Those that could be read, by name; and the names of all, so that what is wrong with one is said once. */
export interface Services {
  readonly placed: ReadonlyMap<string, PlacedService>;
  readonly names: readonly string[];
}

/** Reads `services`. */
export function readServices(
  root: SourceMapping,
  recipes: readonly RecipeDescription[],
  groups: Groups,
  reader: Reader,
  secrets: SecretPlaces,
): Services {
  const mapping = reader.mapping(entry(root, 'services')?.value, 'services', HOLDS);
  const entries = mapping?.entries ?? [];
  if (entries.length > LIMITS.services)
    reader.findings.of('services', `has ${entries.length} services; allowed: at most ${LIMITS.services}`);
  const placed = new Map<string, PlacedService>();
  for (const { key, keyAt, value } of entries) {
    const path = under('services', key);
    const name = reader.name(key, keyAt, path);
    const inner = reader.mapping(value, path, Object.keys(ServiceShape).join(', '));
    if (inner === null) continue;
    const fields = reader.fields(ServiceShape, inner, path);
    const recipe = findRecipe(fields.recipe, recipes, under(path, 'recipe'), reader);
    const group = findGroup(fields.group, groups, path, reader);
    if (recipe === null || group === null || name === null) continue;
    const parameters = readSettings(
      entry(inner, 'parameters')?.value,
      { title: `the recipe ${recipe.name}`, word: 'parameter', schema: recipe.parameters },
      under(path, 'parameters'),
      reader,
    );
    const username = fields.username || null;
    const password = fields.password || null;
    const node = entry(inner, 'password');
    if (node !== undefined && password !== null) {
      const place = under(path, 'password');
      const expanded = reader.text(node.value, place, 'a text');
      if (expanded !== null) notePassword(expanded.spans, place, secrets);
    }
    checkLogin(recipe, { username, password }, path, reader);
    if (parameters === null) continue;
    const readyWithinMs = fields.readyWithin ?? DEFAULT_READY_MS;
    placed.set(name, {
      service: { name, recipe: recipe.name, group, parameters, username, password, readyWithinMs },
      recipe,
      keep: fields.keep ?? false,
    });
  }
  return { placed, names: entries.map(({ key }) => key) };
}

function checkLogin(
  recipe: RecipeDescription,
  { username, password }: { readonly username: string | null; readonly password: string | null },
  path: string,
  reader: Reader,
): void {
  const given = password !== null ? 'password' : username !== null ? 'username' : null;
  if (given !== null && !recipe.login)
    reader.findings.of(
      under(path, given),
      `the recipe ${recipe.name} has no login: leave ${given} out`,
      'UNSUPPORTED',
    );
  else if (username !== null && password === null)
    reader.findings.of(under(path, 'username'), 'a user has a password; give it as well');
}

function findRecipe(
  name: string | undefined,
  recipes: readonly RecipeDescription[],
  path: string,
  reader: Reader,
): RecipeDescription | null {
  if (name === undefined) return null;
  const found = recipes.find((recipe) => recipe.name === name);
  if (found !== undefined) return found;
  const names = recipes.map((recipe) => recipe.name);
  const near = nearest(name, names);
  reader.findings.of(
    path,
    `there is no recipe ${shown(name)}${near === null ? '' : `; did you mean ${near}?`}; recipes: ${names.join(', ')}`,
    'UNSUPPORTED',
  );
  return null;
}

function findGroup(wanted: string | undefined, groups: Groups, path: string, reader: Reader): string | null {
  const names = groups.all.map(({ name }) => name);
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted;
    const near = nearest(wanted, names);
    reader.findings.of(
      under(path, 'group'),
      `there is no group ${shown(wanted)}${near === null ? '' : `; did you mean ${near}?`}; groups: ${names.join(', ')}`,
    );
    return null;
  }
  if (names.includes(DEFAULT_GROUP)) return DEFAULT_GROUP;
  if (names.length === 1) return names[0] as string;
  reader.findings.of(path, `does not say which group runs it; add \`group:\`: ${names.join(', ')}`);
  return null;
}
