import { forbidden } from '../../core/errors/errors.ts';
import { corsOrigins } from '../../platform/http/responses/cors.ts';

/** As the protocol demands, against DNS rebinding. @throws 403 for a page of an origin that may not call the API. */
export function assertOrigin(origin: string | undefined, baseUrl: string): void {
  if (origin === undefined) return;
  const allowed = [...corsOrigins(), new URL(baseUrl).origin];
  if (allowed.includes('*') || allowed.includes(origin)) return;
  throw forbidden('Pages of this origin may not call the API; add it to the CORS origins of the deployment');
}
