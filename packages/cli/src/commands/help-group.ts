/** Headings over the commands in the help, in the order in which they stand there. */
export const HELP_GROUPS = {
  runs: 'Runs:',
  results: 'Results:',
  machines: 'Several machines:',
  reference: 'Reference:',
} as const;
