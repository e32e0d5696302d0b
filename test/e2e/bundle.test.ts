import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pacecar } from './pacecar-process.js';
import { readSummary, scenario, Workspace } from './workspace.js';

describe('the bundle of a run', () => {
  const workspace = new Workspace();
  let bundle = '';
  before(async () => {
    workspace.write('run.yaml', scenario({ workers: 2, stages: '[load, measure: { for: 1500ms }]' }));
    const run = await pacecar(['run', 'run.yaml'], { cwd: workspace.path });
    assert.equal(run.code, 0, run.stderr);
    bundle = workspace.bundle();
  });
  after(() => workspace.remove());

  /** A copy that a test may damage. */
  function copy(name: string): string {
    const path = join(workspace.path, name);
    cpSync(bundle, path, { recursive: true });
    return path;
  }

  test('renders as text, JSON, CSV and HTML; JSON is summary.json to the last byte', async () => {
    const text = await pacecar(['report', bundle], { cwd: workspace.path });
    assert.equal(text.code, 0, text.stderr);
    assert.match(text.stdout, /VALID[\s\S]*put/);
    const json = await pacecar(['report', bundle, '--format', 'json'], { cwd: workspace.path });
    assert.equal(json.stdout, readFileSync(join(bundle, 'summary.json'), 'utf8'));
    const csv = await pacecar(['report', bundle, '--format', 'csv'], { cwd: workspace.path });
    assert.match(csv.stdout, /^[\w,.]+\r?\n/);
    assert.match(csv.stdout, /measure/);
    const html = await pacecar(['report', bundle, '--format', 'html', '--output', 'again.html'], {
      cwd: workspace.path,
    });
    assert.equal(html.stdout, '');
    assert.equal(
      readFileSync(join(workspace.path, 'again.html'), 'utf8'),
      readFileSync(join(bundle, 'report.html'), 'utf8'),
    );
  });

  test('stays within the columns asked for', async () => {
    const text = await pacecar(['report', bundle, '--columns', '80'], { cwd: workspace.path });
    const same = await pacecar(['report', bundle], { cwd: workspace.path, env: { COLUMNS: '80' } });
    assert.equal(same.stdout, text.stdout, 'COLUMNS counts where there is no terminal');
    const plain = await pacecar(['report', bundle], { cwd: workspace.path, env: { COLUMNS: '' } });
    const asked = await pacecar(['report', bundle, '--columns', '100'], { cwd: workspace.path });
    assert.equal(plain.stdout, asked.stdout);
    for (const line of text.stdout.split('\n'))
      assert.ok(line.length <= 80, `${line.length} columns: ${line}`);
  });

  test('verifies; every file of it stands in the manifest, logs of the workers included', async () => {
    const verified = await pacecar(['verify', bundle], { cwd: workspace.path });
    assert.equal(verified.code, 0, verified.stdout);
    assert.match(verified.stdout, /^verified: /);
    const { files } = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')) as { files: object };
    for (const path of [
      'frames/worker-0.pcf',
      'frames/worker-1.pcf',
      'logs/worker-1.log',
      'summary.json',
      'report.html',
    ])
      assert.ok(path in files, `${path} is in the manifest`);
    assert.ok(readdirSync(join(bundle, 'hlog')).length > 0);
  });

  test('a flipped byte is found in every file, and the file is named', async () => {
    const { files } = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')) as {
      files: Record<string, { bytes: number }>;
    };
    for (const [path, { bytes }] of Object.entries(files)) {
      if (bytes === 0) continue;
      const damaged = copy('damaged');
      const content = readFileSync(join(damaged, path));
      const at = Math.floor(bytes / 2);
      content[at] = (content[at] as number) ^ 1;
      writeFileSync(join(damaged, path), content);
      const verified = await pacecar(['verify', damaged, '--json'], { cwd: workspace.path });
      assert.equal(verified.code, 1, `${path}: ${verified.stdout}${verified.stderr}`);
      const { problems } = JSON.parse(verified.stdout) as { problems: string[] };
      assert.ok(
        problems.some((problem) => problem.startsWith(`${path}: changed`)),
        `${path} is named in ${problems.join('\n')}`,
      );
      rmSync(damaged, { recursive: true });
    }
  });

  test('a summary that was changed together with its checksum is still found', async () => {
    const forged = copy('forged');
    const path = join(forged, 'summary.json');
    const summary = readFileSync(path, 'utf8').replace(/"ok": (\d+)/, (_, ok) => `"ok": ${Number(ok) + 1}`);
    writeFileSync(path, summary);
    const { createHash } = await import('node:crypto');
    const manifest = JSON.parse(readFileSync(join(forged, 'manifest.json'), 'utf8')) as {
      files: Record<string, { sha256: string; bytes: number }>;
    };
    manifest.files['summary.json'] = {
      sha256: createHash('sha256').update(summary).digest('hex'),
      bytes: Buffer.byteLength(summary),
    };
    writeFileSync(join(forged, 'manifest.json'), JSON.stringify(manifest));
    const verified = await pacecar(['verify', forged], { cwd: workspace.path });
    assert.equal(verified.code, 1);
    assert.match(
      verified.stdout,
      /summary\.json: does not follow from the frames; line \d+ is ""ok": \d+|summary\.json: does not follow/,
    );
  });

  test('missing and added files are named', async () => {
    const changed = copy('changed');
    rmSync(join(changed, 'frames/worker-1.pcf'));
    writeFileSync(join(changed, 'notes.txt'), 'mine');
    const verified = await pacecar(['verify', changed], { cwd: workspace.path });
    assert.equal(verified.code, 1);
    assert.match(verified.stdout, /frames\/worker-1\.pcf: missing/);
    assert.match(verified.stdout, /notes\.txt: not in the manifest/);
  });

  test('a frame log cut by a crash renders what is whole and says so', async () => {
    const cut = copy('cut');
    rmSync(join(cut, 'manifest.json'));
    const path = join(cut, 'frames/worker-0.pcf');
    const log = readFileSync(path);
    writeFileSync(path, log.subarray(0, log.length - 5));
    const report = await pacecar(['report', cut, '--format', 'json'], { cwd: workspace.path });
    assert.equal(report.code, 0, report.stderr);
    const summary = readSummary(report.stdout);
    assert.equal(summary.verdict.status, 'INVALID');
    assert.match(JSON.stringify(summary), /frames\/worker-0\.pcf/);
  });

  test('a directory that is no bundle, or is none at all, is refused with exit 2', async () => {
    mkdirSync(join(workspace.path, 'empty'), { recursive: true });
    for (const command of ['report', 'verify'])
      for (const path of ['empty', 'nowhere', 'run.yaml']) {
        const refused = await pacecar([command, path], { cwd: workspace.path });
        assert.equal(refused.code, 2, `${command} ${path}: ${refused.stderr}`);
        assert.match(refused.stderr, new RegExp(`^error: .*${path}`));
        assert.equal(refused.stdout, '');
      }
  });
});
