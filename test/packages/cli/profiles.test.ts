import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  assertStorable,
  chosenProfile,
  profilesPath,
  saveProfile,
  storedProfile,
} from '../../../packages/cli/src/session/profiles.ts';

const url = 'https://api.example.com';
const profile = { url, apiKey: 'tv_live_stored' };
const newSettings = () => {
  const XDG_CONFIG_HOME = mkdtempSync(join(tmpdir(), 'cli-'));
  return { env: { XDG_CONFIG_HOME }, path: profilesPath({ XDG_CONFIG_HOME }) };
};

test('a stored key goes only to the address that it was stored for', () => {
  const { env, path } = newSettings();
  saveProfile(path, 'default', profile);
  expect(() => chosenProfile({ ...env, AGENT_FLOW_URL: 'https://other.example.com' }, 'default')).toThrow(
    'AGENT_FLOW_URL is https://other.example.com, but the stored key is for https://api.example.com',
  );
  expect(chosenProfile({ ...env, AGENT_FLOW_URL: `${url}/` }, 'default').apiKey).toBe('tv_live_stored');
  const given = { AGENT_FLOW_URL: 'https://other.example.com', AGENT_FLOW_KEY: 'tv_live_given' };
  expect(chosenProfile({ ...env, ...given }, 'default')).toEqual({
    url: 'https://other.example.com',
    apiKey: 'tv_live_given',
  });
});

test('a new login keeps the others, and a file that others could read becomes one that they cannot', () => {
  const { path } = newSettings();
  saveProfile(path, 'default', profile);
  chmodSync(path, 0o644);
  const former = statSync(path).ino;
  saveProfile(path, 'work', { ...profile, apiKey: 'tv_live_work' });
  expect([storedProfile(path, 'default'), storedProfile(path, 'work')?.apiKey]).toEqual([
    profile,
    'tv_live_work',
  ]);
  // Whoever has opened the former file reads no new key.
  expect(statSync(path).ino).not.toBe(former);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toEqual(['profiles.json']);
});

test('a link to the profiles stays a link', () => {
  const { path } = newSettings();
  const target = join(mkdtempSync(join(tmpdir(), 'dotfiles-')), 'profiles.json');
  writeFileSync(target, '{}');
  assertStorable(path);
  symlinkSync(target, path);
  saveProfile(path, 'default', profile);
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ default: profile });
});

test.each(['{bad', 'null', '"text"'])('a file with %s says which file to mend', (text) => {
  const { env, path } = newSettings();
  assertStorable(path);
  writeFileSync(path, text);
  for (const read of [() => chosenProfile(env, 'default'), () => assertStorable(path)]) {
    expect(read).toThrow(`${path} does not contain profiles`);
  }
});

test('a folder that cannot be made says so, and nothing is left of a login that could be stored', () => {
  const { path } = newSettings();
  assertStorable(path);
  expect(readdirSync(dirname(path))).toEqual([]);
  const nowhere = newSettings();
  symlinkSync(join(path, 'missing'), dirname(nowhere.path));
  expect(() => assertStorable(nowhere.path)).toThrow('Logins cannot be stored in ');
});
