import { iterateTexts } from '../../core/json/json-texts.ts';
import { secretKeysInScript, secretKeysInTemplate } from '../../core/secret-references.ts';

/** Deeper than any valid config. */
const depthMax = 100;

interface WithConfig {
  toolType: string;
  config: Record<string, unknown>;
}

export const secretKeysOfTool = ({ toolType, config }: WithConfig): string[] => [
  ...new Set(
    [...iterateTexts(config, [], depthMax)].flatMap(({ text, path }) =>
      toolType === 'custom' && path[0] === 'code' ? secretKeysInScript(text) : secretKeysInTemplate(text),
    ),
  ),
];
