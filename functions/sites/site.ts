/** Files that anybody may read: a page with its scripts and styles, or a document. */
export interface Site {
  /** As API Gateway writes them: `/docs`, and `/docs/{proxy+}` for every path below it. */
  routes: readonly `/${string}`[];
  /**
   * The contents by path, made when the service is built. A file at the path of a route with `{proxy+}` is served for
   * every path below it whose last segment has no extension: the page of an app that routes in the browser.
   */
  files: () => Promise<Readonly<Record<string, string | Uint8Array>>>;
  /** The headers of every file, beside those that every site has (`infra/static-files.ts`). */
  headers: Readonly<Record<string, string>>;
}
