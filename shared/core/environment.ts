/** @throws if the environment variable is missing or empty. */
export function requireEnv(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is missing. Set it and restart`);
  return value;
}
