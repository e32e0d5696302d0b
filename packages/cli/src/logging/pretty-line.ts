/** Fields that every line has, shown in a place of their own or not at all. */
const OWN_FIELDS = new Set(['level', 'time', 'process', 'pid', 'msg', 'err']);
const LEVEL_COLORS: Readonly<Record<string, number>> = {
  trace: 2,
  debug: 2,
  info: 36,
  warn: 33,
  error: 31,
  fatal: 31,
};

/** One of pino's JSON lines for a person: `12:03:04 warn  coordinator: text (key=value)`. */
export function prettyLine(json: string, color: boolean): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return json;
  }
  const level = shown(record['level']);
  const time = shown(record['time']).slice(11, 19);
  const painted = color ? `\x1b[${LEVEL_COLORS[level] ?? 0}m${level.padEnd(5)}\x1b[0m` : level.padEnd(5);
  const extra = Object.entries(record)
    .filter(([key]) => !OWN_FIELDS.has(key))
    .map(([key, value]) => `${key}=${shown(value)}`)
    .join(' ');
  const error = record['err'];
  const stack =
    typeof error === 'object' && error !== null && 'stack' in error
      ? `\n${withoutControl(String(error.stack), true)}`
      : '';
  const text = `${shown(record['process'])}: ${shown(record['msg'])}${extra === '' ? '' : ` (${extra})`}`;
  return `${time} ${painted} ${withoutControl(text, false)}${stack}\n`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Names and reasons come from other machines: their control characters must not reach a terminal. */
function withoutControl(text: string, keepNewlines: boolean): string {
  return text.replace(/\p{Cc}/gu, (character) =>
    keepNewlines && character === '\n' ? '\n' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
