/** A public static site: a page with its scripts and styles, or a document. */
export interface Site {
  /** In API Gateway's syntax: `/docs`, and `/docs/{proxy+}` for every path below it. */
  routes: readonly `/${string}`[];
  /**
   * The contents by path, created when the service is built. A file at the path of a `{proxy+}` route is served for
   * every path below it whose last segment has no extension: the page of an app that routes in the browser.
   */
  files: () => Promise<Readonly<Record<string, string | Uint8Array>>>;
  /** The headers of every file, in addition to those of every site (`infra/static-files.ts`). */
  headers: Readonly<Record<string, string>>;
}
