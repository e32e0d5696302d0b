import { connect } from 'node:net';

type Reply = string | number | null | Reply[];

/** Sends one command to a Redis server on loopback and gives its reply; an error reply rejects. For tests only. */
export async function redisCommand(port: number, ...words: string[]): Promise<Reply> {
  const request = `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
  const socket = connect({ host: '127.0.0.1', port });
  try {
    socket.write(request);
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      const parsed = parseReply(received, 0);
      if (parsed !== null) return parsed.reply;
    }
    throw new Error(`the server closed the connection before it answered ${words[0]}`);
  } finally {
    socket.destroy();
  }
}

/** How often the server carried out each command, from INFO commandstats: {get: 10, set: 3}. */
export async function commandCalls(port: number): Promise<Record<string, number>> {
  const text = String(await redisCommand(port, 'INFO', 'commandstats'));
  const calls: Record<string, number> = {};
  for (const [, name, count] of text.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm))
    calls[name as string] = Number(count);
  return calls;
}

/** Null while the reply is not whole. */
function parseReply(bytes: Buffer, at: number): { reply: Reply; end: number } | null {
  const lineEnd = bytes.indexOf('\r\n', at);
  if (lineEnd < 0) return null;
  const line = bytes.toString('utf8', at + 1, lineEnd);
  const next = lineEnd + 2;
  const kind = String.fromCharCode(bytes[at] as number);
  switch (kind) {
    case '+':
      return { reply: line, end: next };
    case '-':
      throw new Error(line);
    case ':':
      return { reply: Number(line), end: next };
    case '$': {
      const length = Number(line);
      if (length < 0) return { reply: null, end: next };
      if (bytes.length < next + length + 2) return null;
      return { reply: bytes.toString('utf8', next, next + length), end: next + length + 2 };
    }
    case '*': {
      const items: Reply[] = [];
      let end = next;
      for (let left = Number(line); left > 0; left--) {
        const item = parseReply(bytes, end);
        if (item === null) return null;
        items.push(item.reply);
        end = item.end;
      }
      return { reply: items, end };
    }
    default:
      throw new Error(`a reply that begins with ${JSON.stringify(kind)}`);
  }
}
