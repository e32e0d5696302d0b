/** Every module that a TypeScript or JavaScript text imports: values, types, re-exports, side effects, `import()`. */
export function importsOf(source: string): string[] {
  const code = withoutComments(source);
  const found: string[] = [];
  for (const pattern of [
    // import x from 'm', import type { x } from 'm', export * from 'm'; over several lines too
    /(?:^|[;}\s])(?:import|export)\b(?:[^;'"`()=]|\btype\b)*?\bfrom\s*(['"])([^'"\n]+)\1/g,
    // import 'm'
    /(?:^|[;}\s])import\s*(['"])([^'"\n]+)\1/g,
    // import('m'), as a value or in a type
    /\bimport\s*\(\s*(['"`])([^'"`\n]+)\1/g,
    /\brequire\s*\(\s*(['"`])([^'"`\n]+)\1/g,
  ])
    for (const match of code.matchAll(pattern)) found.push(match[2] as string);
  return found;
}

/** Comments blanked; texts are kept, and what looks like a comment inside one is not taken for it. */
export function withoutComments(source: string): string {
  return source.replace(
    /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (comment, text: string | undefined) => text ?? comment.replaceAll(/[^\n]/g, ' '),
  );
}
