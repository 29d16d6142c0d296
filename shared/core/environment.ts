/** @throws where the environment variable is missing or empty. */
export function requireEnv(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set`);
  return value;
}
