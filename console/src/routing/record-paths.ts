export const typePath = (type: string) => `/records/type/${encodeURIComponent(type)}`;
export const recordPath = (id: string) => `/records/record/${id}`;
export const importPath = (id: string) => `/records/imports/${id}`;
/** @param type To suggest. */
export const newImportPath = (type?: string) =>
  type === undefined ? '/records/import' : `/records/import?type=${encodeURIComponent(JSON.stringify(type))}`;
