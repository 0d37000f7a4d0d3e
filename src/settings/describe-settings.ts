// The settings that this service runs with, shown to the operator.
import type { Setting, ShownValue } from './setting.ts';
import { SETTING_KEYS, SETTINGS, type SettingValues } from './settings.ts';

interface SettingInForce extends ShownValue {
  name: string;
  sentence: string;
  defaultText: string | null;
  isSecret: boolean;
  fileVariable: string | null;
}

export function describeSettings(values: SettingValues): SettingInForce[] {
  return SETTING_KEYS.map((key) => describe(SETTINGS[key], values[key]));
}

function describe<Value>(setting: Setting<Value>, value: Value): SettingInForce {
  const { name, sentence, defaultText, isSecret, fileVariable } = setting;
  return { name, sentence, defaultText, isSecret, fileVariable, ...setting.show(value) };
}
