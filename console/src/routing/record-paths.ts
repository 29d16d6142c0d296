export const typePath = (type: string) => `/records/type/${encodeURIComponent(type)}`;
export const recordPath = (id: string) => `/records/record/${id}`;
