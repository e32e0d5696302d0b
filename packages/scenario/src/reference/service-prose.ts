/** Parts of the reference that people wrote: services, and stages that do something to them. */

export const SERVICES = `A service is a server, or a cluster of them, that workers start for a run by one of their recipes
([docs/recipes.md](recipes.md)). Each entry of \`services\` is named by its key:

\`\`\`yaml
groups: { servers: 1, clients: 2 }
services:
  cache: { recipe: redis-server, parameters: { persistence: append-only, maxMemory: 1GB } }
configurations:
  cache: { target: { service: cache } }
workload: { group: clients }
\`\`\`

Every cell starts the service of its target before its first stage, with empty files, and stops it after its last; with
\`keep: true\` it runs on from cell to cell. No server outlives its worker, however that ends. The report names product and
version as the server says them, and the sizes of the files that it has left; the last of what each process has said stands
in \`logs/\` of the bundle.`;

export const ACTS = `These stages do something to a service, or only wait, while background stages run beside them. What
was done stands on the timeline of every stage that ran then. A master that is killed at one third of a minute:

\`\`\`yaml
stages:
  - load
  - measure: { name: steady, until: rest, mix: { get: 1 } }
  - wait: 20s
  - fault: { do: kill, role: master, index: 0 }
  - wait: { name: rest, for: 40s }
\`\`\``;
