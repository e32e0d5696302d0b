import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Connection } from './connection.js';
import { BufferPool, type OutBuffer, Outbox } from './outbox.js';

class Letters implements OutBuffer {
  length = 0;
  readonly bytes = Buffer.alloc(8);

  add(letter: string): void {
    this.bytes[this.length++] = letter.charCodeAt(0);
  }
  from(start: number): Buffer {
    return this.bytes.subarray(start, this.length);
  }
  clear(): void {
    this.length = 0;
  }
}

/** Takes what is written as a socket does: not a copy. */
class Pipe {
  isFlushed = true;
  readonly #queue: Uint8Array[] = [];

  write(bytes: Uint8Array): void {
    this.#queue.push(bytes);
  }
  cork(): void {}
  uncork(): void {}
  /** What has been written and not left before leaves now. */
  leave(): string {
    return this.#queue
      .splice(0)
      .map((bytes) => Buffer.from(bytes).toString())
      .join('|');
  }
  get asConnection(): Connection {
    return this as unknown as Connection;
  }
}

function send(outbox: Outbox<Letters>, pipe: Pipe, letters: string): Letters {
  const { buffer } = outbox;
  for (const letter of letters) buffer.add(letter);
  outbox.flush(pipe.asConnection);
  return buffer;
}

describe('outbox', () => {
  test('connections whose writes leave at once share one buffer', () => {
    const pool = new BufferPool(() => new Letters());
    const pipes = [new Pipe(), new Pipe()] as const;
    const outboxes = [new Outbox(pool), new Outbox(pool)] as const;
    const first = send(outboxes[0], pipes[0], 'ab');
    assert.equal(pipes[0].leave(), 'ab');
    assert.equal(send(outboxes[1], pipes[1], 'cd'), first);
    assert.equal(pipes[1].leave(), 'cd');
  });

  test('what has not left yet is not written over, by this connection or another', () => {
    const pool = new BufferPool(() => new Letters());
    const [slow, fast] = [new Pipe(), new Pipe()];
    const [slowBox, fastBox] = [new Outbox(pool), new Outbox(pool)];
    slow.isFlushed = false;
    send(slowBox, slow, 'one');
    assert.equal(slowBox.isBlocked, false);
    send(fastBox, fast, 'xxx');
    send(slowBox, slow, 'two');
    assert.equal(slowBox.isBlocked, true);
    send(fastBox, fast, 'yyy');
    assert.equal(slow.leave(), 'one|two');
    assert.equal(slowBox.written(), true);
    assert.equal(slowBox.isBlocked, false);
    assert.equal(slowBox.written(), false);
  });

  test('buffers that have left are used again', () => {
    let made = 0;
    const pool = new BufferPool(() => {
      made++;
      return new Letters();
    });
    const pipe = new Pipe();
    const outbox = new Outbox(pool);
    for (let turn = 0; turn < 10; turn++) {
      pipe.isFlushed = false;
      send(outbox, pipe, 'one');
      send(outbox, pipe, 'two');
      assert.equal(pipe.leave(), 'one|two');
      outbox.written();
    }
    assert.equal(made, 2);
  });

  test('what a cut connection had still to send is nobody else’s', () => {
    const pool = new BufferPool(() => new Letters());
    const [cut, fresh] = [new Pipe(), new Pipe()];
    const outbox = new Outbox(pool);
    cut.isFlushed = false;
    send(outbox, cut, 'one');
    send(outbox, cut, 'two');
    outbox.renew();
    assert.equal(outbox.isBlocked, false);
    send(outbox, fresh, 'xxx');
    assert.equal(fresh.leave(), 'xxx');
    fresh.isFlushed = false;
    send(outbox, fresh, 'yyy');
    assert.equal(cut.leave(), 'one|two');
    assert.equal(fresh.leave(), 'yyy');
  });

  test('nothing to send is no write', () => {
    const pipe = new Pipe();
    const outbox = new Outbox(new BufferPool(() => new Letters()));
    outbox.flush(pipe.asConnection);
    assert.equal(pipe.leave(), '');
  });
});
