import { request } from 'node:http';
import { PacecarError, type ServiceNode } from '@pacecar/protocol';
import { z } from 'zod';

const ANSWER_MS = 2_000;
const MOST_CHARACTERS = 64 * 1024;

const HealthSchema = z.object({
  nodeState: z.string(),
  clusterState: z.string(),
  clusterSafe: z.boolean(),
  migrationQueueSize: z.int(),
  clusterSize: z.int(),
});
export type MemberHealth = z.infer<typeof HealthSchema>;

/** How a member says that it is. Throws TARGET_UNREACHABLE. */
export async function memberHealth({ host, port }: ServiceNode): Promise<MemberHealth> {
  const text = await get(host, port, '/hazelcast/health');
  try {
    return HealthSchema.parse(JSON.parse(text));
  } catch {
    throw new PacecarError(
      'TARGET_UNREACHABLE',
      `it says something else about its health: ${text.slice(0, 100)}`,
    );
  }
}

function get(host: string, port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new PacecarError('TARGET_UNREACHABLE', reason));
    const sent = request({ host, port, path, timeout: ANSWER_MS, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MOST_CHARACTERS) sent.destroy(new Error('it says too much'));
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : fail(`it answers with status ${response.statusCode}`),
      );
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_MS / 1_000} s`)));
    sent.on('error', (error) => fail(error.message));
    sent.end();
  });
}
