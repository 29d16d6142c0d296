import { missingPermission } from '../../shared/core/errors/errors.ts';
import type { CallEndpoint } from '../../shared/domain/workspace/write-node.ts';
import { using } from '../../shared/platform/aws/uses.ts';
import { resolveNeeds, type Scope } from '../../shared/platform/data/scope.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { parseOrReject } from '../../shared/platform/http/validation.ts';
import { grants } from '../../shared/platform/identity/permissions.ts';
import type { Principal } from '../../shared/platform/identity/principal.ts';

/** What operations take from the request that calls them. */
interface Caller {
  principal: Principal;
  signal: AbortSignal;
  baseUrl: () => string;
}

/** Calls endpoints in this process, as part of another request: with their schemas, permissions and handlers. */
export const operationCaller = (endpoints: readonly AnyEndpoint[]) =>
  using(
    endpoints.flatMap(({ needs }) => Object.values(needs)),
    (scope: Scope) =>
      ({ principal, signal, baseUrl }: Caller): CallEndpoint =>
      async (endpoint, { params, body }) => {
        const { permission, params: Params, body: Body, needs, handle } = endpoint;
        if (!grants(principal.permissions, permission)) throw missingPermission([permission].flat());
        const request = {
          params: Params && parseOrReject(Params, params),
          body: Body && parseOrReject(Body, body),
          principal,
          signal,
          baseUrl,
        };
        return (await handle(request, resolveNeeds(needs, scope))) as Awaited<ReturnType<CallEndpoint>>;
      },
  );
