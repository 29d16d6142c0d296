import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ownTable } from '../../local/environment.ts';
import { payloadBucket, region } from '../../local/runtime/account.ts';
import type { StackFacts } from '../../local/stack.ts';
import { OperationError } from '../deployment/operation.ts';

const main = fileURLToPath(new URL('../../local/main.ts', import.meta.url));

export interface EmbeddedStack {
  facts: StackFacts;
  stop: () => Promise<void>;
}

/**
 * Starts the embedded stack in a process of its own, and lets this process reach its servers as its Lambdas do.
 * @param TABLE_NAME Another table than the stack's own. @throws OperationError
 */
export async function startEmbedded(DATA_DIR: string, TABLE_NAME = ownTable): Promise<EmbeddedStack> {
  const env = {
    ...process.env,
    DATA_DIR,
    TABLE_NAME,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_DAY: '1000000',
    // With it, the stack ends with this process, also after kill -9.
    npm_lifecycle_event: 'restore-drill',
  };
  const child = spawn(process.execPath, [main, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [])]);
  if (line === undefined) throw new OperationError('The embedded stack did not start. Its error is above.');
  const facts: StackFacts = JSON.parse(String(line));
  useServers(facts);
  return {
    facts,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const useServers = ({ aws, table }: StackFacts) =>
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: aws.dynamodb,
    AWS_ENDPOINT_URL_S3: aws.s3,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.secretsManager,
    SECRETS_PREFIX: ownTable,
    TABLE_NAME: table,
    PAYLOAD_BUCKET: payloadBucket,
  });
