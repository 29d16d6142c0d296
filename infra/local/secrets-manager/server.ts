import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { log } from '../../../shared/core/log.ts';
import { close, listen } from '../server.ts';
import { secretsActions } from './actions.ts';
import { SecretsError } from './errors.ts';
import { openSecrets } from './store.ts';

const bodyType = 'application/x-amz-json-1.1';

/** Starts a stand-in for Secrets Manager, with its protocol (AWS JSON 1.1). */
export async function startSecretsServer(
  directory: string | undefined,
  warn: (text: string) => void = log.warn,
) {
  const actions = secretsActions(openSecrets(directory, warn));
  const server = createServer(async (request, response) => {
    const { status, body } = await text(request)
      .then((sent) => ({ status: 200, body: perform(actions, request.headers['x-amz-target'], sent) }))
      .catch(failure);
    response.writeHead(status, { 'content-type': bodyType }).end(JSON.stringify(body));
  });
  const port = await listen(server, 0, '127.0.0.1');
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => close(server) };
}

function perform(actions: ReturnType<typeof secretsActions>, target: unknown, sent: string): object {
  const name = /^secretsmanager\.(\w+)$/.exec(String(target))?.[1] ?? '';
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action)
    throw new SecretsError(
      'UnknownOperationException',
      `This stand-in does not implement the operation: ${target}`,
    );
  return action(JSON.parse(sent || '{}'));
}

function failure(error: unknown): { status: number; body: object } {
  if (error instanceof SecretsError) {
    return { status: 400, body: { __type: error.type, message: error.message } };
  }
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return { status: 400, body: { __type: 'InvalidParameterException', message: error.message } };
  }
  log.error('The Secrets Manager stand-in failed', { error });
  return { status: 500, body: { __type: 'InternalServiceError', message: 'Internal error' } };
}
