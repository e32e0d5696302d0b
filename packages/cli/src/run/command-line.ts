const HIDDEN = '***';

/**
 * The command line as a bundle may keep it: passwords in addresses and the values of `--set` named in `secretSets`
 * are replaced.
 */
export function publicCommandLine(args: readonly string[], secretSets: readonly string[]): string[] {
  const secrets = new Set(secretSets);
  return [
    'pacecar',
    ...args.map((word) => {
      const shown = word.replace(/^((?:--\S+=)?[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*):[^/\s]*@/i, `$1:${HIDDEN}@`);
      const set = /^(?:--set=)?([^=\s]+)=/.exec(shown);
      return set !== null && secrets.has(set[1] as string) ? `${set[0]}${HIDDEN}` : shown;
    }),
  ];
}
