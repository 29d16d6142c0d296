import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { log } from '../../../shared/core/log.ts';
import { isFullDisk } from '../runtime/full-disk.ts';
import { close, httpServer, listen } from '../runtime/server.ts';
import { secretsActions } from './actions.ts';
import { SecretsError } from './errors.ts';
import { kmsActions } from './kms.ts';
import { openSecretsStore } from './store.ts';

const bodyType = 'application/x-amz-json-1.1';

/** Starts a stand-in for Secrets Manager and KMS on one port, with their protocol (AWS JSON 1.1). */
export async function startSecretsServer(
  directory: string | undefined,
  warn: (text: string) => void = log.warn,
) {
  const store = openSecretsStore(directory, warn);
  const services = { secretsmanager: secretsActions(store), TrentService: kmsActions(store.key) };
  const server = httpServer(async (request, response) => {
    const { status, body } = await text(request)
      .then((sent) => ({ status: 200, body: perform(services, request.headers['x-amz-target'], sent) }))
      .catch(failure);
    response.writeHead(status, { 'content-type': bodyType }).end(JSON.stringify(body));
  });
  const port = await listen(server, 0, '127.0.0.1');
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => close(server) };
}

type Actions = Record<string, (input: unknown) => object>;

function perform(services: Record<string, Actions>, target: unknown, sent: string): object {
  const [service = '', name = ''] = String(target).split('.');
  const actions = Object.hasOwn(services, service) ? services[service] : undefined;
  const action = actions && Object.hasOwn(actions, name) ? actions[name] : undefined;
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
  log.error('The stand-in of Secrets Manager and KMS failed', { error });
  return {
    status: isFullDisk(error) ? 507 : 500,
    body: { __type: 'InternalServiceError', message: 'Internal error' },
  };
}
