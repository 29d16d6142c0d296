import { issuerOriginsPlaceholder } from '../../shared/platform/http/static-files.ts';
import type { Site } from './site.ts';
import { strictPolicy } from './strict-policy.ts';

/** Loaded when the files are built, not with the list of sites: it loads a bundler. */
const built = async () => (await import('../../console/build.ts')).builtConsole();

/** The one rule that react-aria adds to the page, against delayed taps. A test of the browser's console sees a change. */
const touchRule = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

/** The console calls the API and the token endpoint of the issuer. It shows images of chats that it loaded itself. */
const policy = strictPolicy['content-security-policy']
  .replace("connect-src 'self'", `connect-src 'self' ${issuerOriginsPlaceholder}`)
  .replace("style-src 'self'", `style-src 'self' ${touchRule}`)
  .replace('img-src data:', "img-src 'self' data: blob:; font-src 'self'");

/** The web console: one page, which routes in the browser by the fragment of the address. */
export const consolePage: Site = {
  routes: ['/console'],
  headers: { ...strictPolicy, 'content-security-policy': policy, 'cache-control': 'no-cache' },
  files: async () => ({ '/console': (await built())[''] ?? '' }),
};

/** Its scripts and styles, whose names change with their contents. */
export const consoleAssets: Site = {
  routes: ['/console/{proxy+}'],
  headers: { ...strictPolicy, 'cache-control': 'public, max-age=31536000, immutable' },
  async files() {
    const { '': _page, ...assets } = await built();
    return Object.fromEntries(Object.entries(assets).map(([path, content]) => [`/console${path}`, content]));
  },
};
