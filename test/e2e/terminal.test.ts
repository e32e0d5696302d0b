import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { needs } from '../services/installed.js';
import { TerminalSession } from './terminal-session.js';
import { Workspace } from './workspace.js';

const ESCAPE = '\u001b';
const BAR = /━/;
const LIVE = /[1-9][\d,]* ops\/s {2}p50 .* p99 .* 2 of 2 workers {2}errors 0/;

const count = (text: string, pattern: RegExp): number =>
  text.split('\n').filter((line) => pattern.test(line)).length;

describe('on a terminal', needs('tmux'), () => {
  let workspace = new Workspace();
  after(() => workspace.remove());
  beforeEach(() => {
    workspace.remove();
    workspace = new Workspace();
  });

  test('a run shows one live block that is redrawn in place, follows the width, and is gone at the end', async () => {
    const terminal = new TerminalSession(['demo', '--for', '5s', '--workers', '2'], {
      cwd: workspace.path,
      columns: 120,
      rows: 50,
    });
    try {
      await terminal.shows(/measure \(3 of 4\)[^]*ops\/s/, 30_000);
      await terminal.shows(LIVE, 5_000);
      const wide = terminal.screen();
      assert.equal(count(wide, /ops\/s/), 1, wide);
      assert.equal(count(wide, BAR), 1, wide);
      assert.equal(count(wide, /demo .*measure/), 1, wide);
      terminal.resize(60, 50);
      await terminal.shows(/^[\d,]+ ops\/s/m, 5_000);
      const narrow = terminal.screen();
      assert.equal(count(narrow, /ops\/s/), 1, narrow);
      assert.equal(count(narrow, /demo .*measure/), 1, narrow);
      terminal.resize(120, 50);
      await terminal.shows(/EXIT=0/, 30_000);
      const all = terminal.everything();
      assert.equal(count(all, BAR), 0, `nothing of the live block is left:\n${all}`);
      assert.match(all, /\nReport: results\/\S+\/report\.html\nEXIT=0/);
      assert.match(terminal.colored(), new RegExp(`${ESCAPE}\\[`), 'a report with colours');
    } finally {
      terminal.close();
    }
  });

  test('Ctrl-C ends a run in order: the partial report, exit 130', async () => {
    const terminal = new TerminalSession(['demo', '--for', '1m', '--workers', '2'], {
      cwd: workspace.path,
      columns: 100,
      rows: 50,
    });
    try {
      await terminal.shows(/measure \(3 of 4\)[^]*[1-9][\d,]* ops\/s/, 30_000);
      terminal.type('C-c');
      await terminal.shows(/EXIT=130/, 6_000);
      assert.match(terminal.everything(), /interrupted/i);
      assert.match(terminal.everything(), /\nReport: results\/\S+\/report\.html\nEXIT=130/);
    } finally {
      terminal.close();
    }
  });

  test('NO_COLOR is respected', async () => {
    const terminal = new TerminalSession(['demo', '--for', '1s', '--workers', '1'], {
      cwd: workspace.path,
      columns: 100,
      rows: 80,
      env: 'NO_COLOR=1',
    });
    try {
      await terminal.shows(/EXIT=0/, 30_000);
      assert.doesNotMatch(terminal.colored(), new RegExp(`${ESCAPE}\\[\\d*[1-9]m`));
    } finally {
      terminal.close();
    }
  });
});
