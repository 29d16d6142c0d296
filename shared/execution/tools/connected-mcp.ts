import type { McpPort, McpRequest } from '../../adapters/ports/mcp-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { createRedactor } from '../../core/redaction/redactor.ts';
import { plainStart } from '../../core/text.ts';
import {
  type ConnectionTokens,
  newLinkAdvice,
  type OpenToken,
} from '../../domain/mcp-connections/connection-tokens.ts';

/** A token does not leave the port: servers could repeat theirs, so answers are redacted. */
export function authorizeMcp(mcp: McpPort, tokens: () => Promise<ConnectionTokens>): McpPort {
  return {
    listTools: (request) => sendWithToken(request, (authorized) => mcp.listTools(authorized)),
    callTool: (call) => sendWithToken(call, (authorized) => mcp.callTool(authorized)),
  };

  async function sendWithToken<R extends McpRequest, T extends object>(
    { connectionId: id, ...request }: R,
    send: (request: R) => Promise<T>,
  ): Promise<T> {
    if (id === undefined) return send(request as R);
    const { url, signal } = request;
    const { open, renew, demand } = await tokens();
    const sendWith = async (token: OpenToken) => {
      const { json, text } = createRedactor(token.secrets);
      try {
        const headers = {
          ...omitAuthorization(request.headers),
          authorization: `Bearer ${token.accessToken}`,
        };
        return json(await send({ ...request, headers } as unknown as R));
      } catch (error) {
        if (!(error instanceof StepError)) throw error;
        throw new StepError(text(error.message), {
          retryable: error.retryable,
          code: error.code,
          kind: error.kind,
          undone: error.undone,
        });
      }
    };
    const token = await open(id, url, signal);
    const first = await sendWith(token);
    const outcome =
      getStatus(first) === 401 ? await sendWith(await renew(id, url, token.version, signal)) : first;
    const missing = await findMissingScopes(outcome);
    if (missing === undefined) return outcome;
    await demand(id, missing);
    throw new StepError(
      `The MCP server demands more than the connection ${id} was granted${missing.length > 0 ? ` (scopes: ${plainStart(missing.join(' '), 300)})` : ''}: ${newLinkAdvice(id)}. It asks for the missing scopes`,
    );
  }
}

const getStatus = (outcome: object) => ('status' in outcome ? outcome.status : undefined);

const omitAuthorization = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));

/** The scopes that a server demands, if it refuses a token because of its scopes (RFC 6750, 3.1). */
async function findMissingScopes(outcome: object): Promise<string[] | undefined> {
  if (getStatus(outcome) !== 403 || !('challenge' in outcome)) return undefined;
  const { parseChallenge: challengeIn } = await import('../../adapters/mcp-oauth/prepare.ts');
  const { error, scope = '' } = challengeIn(outcome.challenge as string | undefined);
  if (error !== 'insufficient_scope') return undefined;
  return scope.split(' ').filter((name) => /^[!#-[\]-~]{1,200}$/.test(name));
}
