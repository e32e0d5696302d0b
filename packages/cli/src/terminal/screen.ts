import { type Line, lineWidth, renderLine } from './line.js';
import { mayColor, writeError } from './output.js';

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const ERASE_BELOW = '\x1b[J';
const ERASE_LINE_END = '\x1b[K';

/** Narrower terminals than this get lines that wrap; nobody reads a run on them. */
const LEAST_COLUMNS = 20;
/** Left free at the end of each line, so that the `^C` that a terminal echoes does not wrap. */
const ECHO_COLUMNS = 4;

/**
 * Standard error as a place where lines scroll by above a live block that is redrawn in place. Each redraw is one
 * write, so that nothing flickers. Without a terminal there is no live block.
 */
export class Screen {
  readonly live: boolean;
  readonly color: boolean;
  #block: readonly Line[] = [];
  #drawn: readonly Line[] = [];

  constructor() {
    this.live = process.stderr.isTTY === true && process.env['TERM'] !== 'dumb';
    this.color = mayColor(process.stderr);
    if (!this.live) return;
    process.stderr.on('resize', () => this.#redraw(''));
    // However this process ends, the person gets a clean line and the cursor back.
    process.on('exit', () => this.clear());
  }

  /** Columns that a line of the live block may take. */
  get columns(): number {
    return this.#width - ECHO_COLUMNS;
  }

  get #width(): number {
    return Math.max(LEAST_COLUMNS, process.stderr.columns ?? 80);
  }

  /** Prints whole lines above the live block. */
  print(text: string): void {
    const lines = text.endsWith('\n') ? text : `${text}\n`;
    if (this.#drawn.length === 0) writeError(lines);
    else this.#redraw(lines);
  }

  /** Replaces the live block. */
  show(block: readonly Line[]): void {
    if (!this.live) return;
    this.#block = block;
    this.#redraw('');
  }

  /** Takes the live block away, for good or until the next `show`. */
  clear(): void {
    this.#block = [];
    this.#redraw('');
  }

  #redraw(above: string): void {
    if (this.#block.length === 0 && this.#drawn.length === 0) {
      if (above !== '') writeError(above);
      return;
    }
    const { columns } = this;
    let text = '';
    if (this.#drawn.length > 0) {
      // A terminal that became narrower has wrapped what was drawn: climb over all its rows.
      let rows = -1;
      for (const line of this.#drawn) rows += Math.max(1, Math.ceil(lineWidth(line) / this.#width));
      text += rows > 0 ? `\r\x1b[${rows}A` : '\r';
      if (above !== '') text += ERASE_BELOW;
    } else {
      text += HIDE_CURSOR;
    }
    text += above;
    text += this.#block.map((line) => renderLine(line, columns, this.color) + ERASE_LINE_END).join('\n');
    text += ERASE_BELOW;
    if (this.#block.length === 0) text += SHOW_CURSOR;
    // What is drawn is what was cut to this width.
    this.#drawn = this.#block.map((line) => cut(line, columns));
    writeError(text);
  }
}

function cut(line: Line, columns: number): Line {
  return [{ text: renderLine(line, columns, false), style: 'plain' }];
}
