/** What a person may choose of the demo. */
export interface DemoChoices {
  readonly workers: number;
  readonly seed: number;
  /** A redis:// or memcached:// address; null for the built-in target. */
  readonly target: string | null;
}

export interface DemoScenario {
  readonly yaml: string;
  /** The password of the target, which stands in the environment and not in the scenario. */
  readonly env: Readonly<Record<string, string>>;
}

const PASSWORD_VARIABLE = 'PACECAR_DEMO_PASSWORD';

/** The scenario of `pacecar demo`: load, warm-up, measure, verify. A bundle keeps it, so that it can be run again. */
export function demoScenario(choices: DemoChoices): DemoScenario {
  const { target, env } = targetOf(choices.target);
  const name = choices.target === null ? 'builtin' : productOf(choices.target);
  return {
    env,
    yaml: `pacecar: 1
name: demo
seed: ${choices.seed}
groups: { clients: ${choices.workers} }
properties: { for: 10s }
configurations:
  ${name}: { target: ${choices.target === null ? target : JSON.stringify(target)} }
workload:
  keys: 100k
  value: 100
  mix: { get: 80%, put: 20% }
  connections: 10 per worker
stages:
  - load
  - warm-up: { for: 2s }
  - measure: { for: "\${for}" }
  - verify
`,
  };
}

/** What an address says that it speaks. */
function productOf(address: string): string {
  return /^([a-z]+):\/\//i.exec(address)?.[1]?.toLowerCase() ?? 'redis';
}

/** `redis://user:password@host` with the password taken out. */
function targetOf(address: string | null): { target: string; env: Record<string, string> } {
  if (address === null) return { target: 'builtin', env: {} };
  const match = /^([a-z][a-z0-9+.-]*:\/\/[^/@:\s]*):([^\s]*)@([^@\s]*)$/i.exec(address);
  if (match === null) return { target: address, env: {} };
  const [, before, password, after] = match as unknown as [string, string, string, string];
  return {
    target: `${before}:\${env.${PASSWORD_VARIABLE}}@${after}`,
    env: { [PASSWORD_VARIABLE]: password },
  };
}
