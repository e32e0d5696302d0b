import type { z } from 'zod';
import { keyDoc } from '../key-doc.js';

/** A Markdown table of the keys of a mapping, from their schemas. */
export function table(shape: z.ZodRawShape, only: (key: string) => boolean = () => true): string {
  const rows = Object.entries(shape)
    .filter(([key]) => only(key))
    .map(([key, schema]) => {
      const { says, type, fallback, example } = keyDoc(schema);
      const needed = (schema as z.ZodType).safeParse(undefined).success ? '' : '**required**';
      const shown = fallback === undefined ? needed : code(fallback);
      return `| ${code(key)} | ${cell(type)} | ${shown} | ${cell(says)} | ${example === undefined ? '' : code(example)} |`;
    });
  return ['| Key | Value | Default | Meaning | Example |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** A text as a cell of a table. */
export const cell = (text: string) => text.replaceAll('|', '\\|');
export const code = (text: string) => cell(`\`${text}\``);
