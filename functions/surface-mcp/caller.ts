import { challengedCredential, hasCredential } from '../../shared/platform/auth/optional-credential.ts';
import { buildBaseUrl } from '../../shared/platform/http/base-url.ts';
import { mcpPath, surfaceMcpPath, wellKnown } from './paths.ts';

/**
 * A 401 names the metadata of the surface. API Gateway renames the header, so clients find the metadata by its path
 * instead, unless a proxy in front restores the name.
 */
export const keyOrSession = challengedCredential({
  accepts: ['surface-key'],
  challengeOf(event) {
    const baseUrl = buildBaseUrl(mcpPath, event.requestContext);
    const { id = '', surfaceId = '' } = event.pathParameters ?? {};
    const url = baseUrl + wellKnown + surfaceMcpPath({ id, surfaceId });
    return `Bearer ${hasCredential(event) ? 'error="invalid_token", ' : ''}resource_metadata="${url}"`;
  },
});
