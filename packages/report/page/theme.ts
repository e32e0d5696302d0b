/** Colours of the page, read from its style sheet so that charts follow light and dark. */
export interface Theme {
  readonly text: string;
  readonly quiet: string;
  readonly grid: string;
  readonly surface: string;
  readonly bad: string;
  readonly badTint: string;
  /** By operation; told apart by readers who do not see all colours, and by their dashes. */
  readonly series: readonly string[];
}

export const DARK = matchMedia('(prefers-color-scheme: dark)');

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: color('--text'),
    quiet: color('--quiet'),
    grid: color('--grid'),
    surface: color('--surface'),
    bad: color('--bad'),
    badTint: color('--bad-tint'),
    series: ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5'].map(color),
  };
}

/** Dashes of series 1, 2, 3 ...: a second way to tell them apart. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4]];
