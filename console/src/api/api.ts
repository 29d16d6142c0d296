import { createContext, useContext } from 'react';
import { type Client, createClient } from '../../../packages/client/src/client.ts';
import { baseUrl } from '../session/base-url.ts';
import type { Credential } from '../session/credential.ts';

export type {
  OperationEvent,
  OperationId,
  OperationItem,
  OperationRequest,
  OperationResponse,
  PagedOperation,
} from '../../../packages/client/src/client.ts';

/** The typed client of the public API, with the credential of the person who uses the console. */
export type ConsoleApi = Client & { credential: Credential };

export function createApi(credential: Credential): ConsoleApi {
  const client = createClient({
    baseUrl,
    async fetch(url, init) {
      const send = (token: string) =>
        fetch(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${token}` } });
      const token = await credential.token();
      const response = await send(token);
      if (response.status !== 401 || !credential.end) return response;
      credential.end.refuse(token);
      return send(await credential.token());
    },
  });
  return { ...client, credential };
}

const Context = createContext<ConsoleApi | undefined>(undefined);
export const ApiProvider = Context.Provider;

export function useApi(): ConsoleApi {
  const api = useContext(Context);
  if (!api) throw new Error('Not signed in');
  return api;
}
