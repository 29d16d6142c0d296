import { loadOnce } from '../../core/concurrency/load-once.ts';

/** The SDK takes long to load. */
export const sdkOAuth = loadOnce(() => import('../../adapters/mcp-oauth/tokens.ts'));
