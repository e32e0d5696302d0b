import assert from 'node:assert/strict';
import { basename, extname } from 'node:path/posix';
import { describe, test } from 'node:test';
import { read, ROOT, writtenFiles } from './checkout.js';
import { withoutComments } from './imports.js';

/** Past this a file asks itself why it is one. */
const MOST_LINES = 350;
/** Tables of cases may be longer than what they test. */
const MOST_TEST_LINES = 500;
/** Files that may be longer, each with its reason. */
const LONGER: Readonly<Record<string, { readonly lines: number; readonly why: string }>> = {};

const CODE = new Set(['.ts', '.tsx', '.mjs', '.cjs', '.js', '.sh']);
const TEXT = new Set([...CODE, '.json', '.md', '.yaml', '.yml', '.css', '.html', '.toml', '.service', '']);

const files = writtenFiles();
const code = files.filter((file) => CODE.has(extname(file)));
/** This file names what it looks for. */
const judged = code.filter((file) => file !== 'test/tidy/source.test.ts');

function hits(pattern: RegExp, among: readonly string[], text = read): string[] {
  return among.flatMap((file) =>
    text(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

describe('sources', () => {
  test('one module, one noun: no file or folder is named after nothing', () => {
    const nothing =
      /^(utils?|helpers?|common|managers?|misc|shared|lib|stuff|tools?-?(box|kit))(\.|$)|(Manager|Helper|Utils?)\./i;
    assert.deepEqual(
      files.filter((file) => CODE.has(extname(file)) && file.split('/').some((part) => nothing.test(part))),
      [],
    );
  });

  test(`no file is longer than ${MOST_LINES} lines (a test ${MOST_TEST_LINES}) without a reason`, () => {
    const long = code.flatMap((file) => {
      const lines = read(file).split('\n').length - 1;
      const most = LONGER[file]?.lines ?? (/\.test\.|^test\//.test(file) ? MOST_TEST_LINES : MOST_LINES);
      return lines > most ? [`${file}: ${lines} lines, at most ${most}`] : [];
    });
    assert.deepEqual(long, []);
  });

  test('every exception to that is still needed', () => {
    const idle = Object.keys(LONGER).filter((file) => read(file).split('\n').length - 1 <= MOST_LINES);
    assert.deepEqual(idle, []);
  });

  test('nothing is left open', () => {
    assert.deepEqual(hits(/\b(TODO|FIXME|XXX|HACK)\b/, judged), []);
  });

  test('no type is switched off', () => {
    const uncommented = (file: string): string => withoutComments(read(file));
    assert.deepEqual(hits(/\bas any\b|: any\b|<any\b/, judged, uncommented), []);
    assert.deepEqual(hits(/@ts-(ignore|nocheck|expect-error)\b/, judged), []);
  });

  test('no test is left out or alone; what cannot run says why with a skip text', () => {
    const tests = judged.filter((file) => file.endsWith('.test.ts'));
    assert.deepEqual(hits(/\.(only|skip|todo)\(|\b(only|todo): true|skip: true/, tests), []);
  });

  test('nothing waits for a fixed time and hopes: sleeps stand only in loops with a deadline', () => {
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    assert.deepEqual(hits(/await (sleep|wait|delay|setTimeout)\(\d{3,}/, tests), []);
  });

  test('no path of a machine is written down', () => {
    const texts = files.filter((file) => TEXT.has(extname(file)));
    const paths = /(^|[\s'"`(=])\/(home|root|Users|mnt|private\/var)\/[\w.-]+\//;
    assert.deepEqual(hits(paths, texts), []);
    assert.deepEqual(
      texts.filter((file) => ROOT.length > 4 && read(file).includes(`${ROOT}/`)),
      [],
    );
  });

  test('every file ends with a line end and has no trailing blanks or tabs in code', () => {
    const ragged = files.filter((file) => TEXT.has(extname(file)) && basename(file) !== 'LICENSE');
    assert.deepEqual(
      ragged.filter((file) => read(file) !== '' && !read(file).endsWith('\n')),
      [],
    );
    assert.deepEqual(hits(/[ \t]+$|\r/, code), []);
  });
});
