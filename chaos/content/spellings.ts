// Generates every way in which JSON lets an integrator write an accepted value, based on the published schema. The
// output is text, not values: `15`, `15.0` and `1.5e1` are the same number, but readers with their own parsers have
// treated them as three.
import type { Chance } from '../../harness/chance.ts';

/** The subset of JSON Schema that the published document uses. */
export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: string[];
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
}

const TEXTS = [
  '',
  'plain',
  '北京市朝阳区',
  'مرحبا بالعالم',
  '👩‍👩‍👧‍👦 family',
  'Z̷̢̛a̶l̴g̶o̵',
  'e\u0301 and \u00e9',
  '\u202eright to left',
  '\u200b',
  "Robert'); drop table orders;--",
  '<script>alert(1)</script>',
  '=HYPERLINK("http://x")',
  'a\tb\nc\r\nd',
  'back\\slash "quoted" /slash',
  '15.0',
  'null',
  'NaN',
  'infinity',
  '\u007f\u0080\uffff',
] as const;

const OFFSETS = [
  'Z',
  '+00:00',
  '-00:00',
  '+03:00',
  '+05:45',
  '-12:00',
  '+14:00',
  '+15:59',
  '+16:00',
  '+23:59',
  '-23:59',
];
const DATES = ['2000-01-01', '2024-02-29', '2026-03-29', '2038-01-19', '2099-12-31'];
const CLOCKS = ['00:00:00', '02:30:00', '03:14:08', '23:59:59'];
const FRACTIONS = ['', '.0', '.5', '.123', '.999999', '.123456789'];

/** Valid values for fields whose schema does not describe their format. */
const BY_NAME: Record<string, readonly string[]> = {
  country: ['GB', 'TR', 'ZZ'],
  currency: ['EUR', 'JPY', 'KWD'],
  locale: ['en', 'en-GB', 'zh-Hant-TW'],
  email: ['a@b', 'ada@example.com', '"odd"@ex.ample', 'ü@例え.jp'],
  phone: ['+441632960123', '123', '(0212) 555-01 01', '☎ 5 5 5', '1'.repeat(40)],
};

/** Near the courier of most orders. An order far away is also accepted, but the planner does not plan it. */
const NEAR = { latitude: 41, longitude: 29 };

export class Speller {
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  value(schema: Schema, name = ''): string {
    if (schema.enum !== undefined) return this.text(this.#chance.pick(schema.enum));
    switch (schema.type) {
      case 'object':
        return schema.properties === undefined ? this.#pairs(schema) : this.object(this.#fields(schema));
      case 'array':
        return this.#list(schema);
      case 'integer':
        return this.integer(this.#between(schema.minimum ?? 0, Math.min(schema.maximum ?? 1e9, 1e9)));
      case 'number':
        return this.#degrees(name);
      case 'boolean':
        return this.#chance.isTrue(0.5) ? 'true' : 'false';
      default:
        return this.text(this.#string(schema, name));
    }
  }

  /** Includes each optional field with a probability of one half. */
  #fields({ properties = {}, required = [] }: Schema): [string, string][] {
    return Object.entries(properties)
      .filter(([name]) => required.includes(name) || this.#chance.isTrue(0.5))
      .map(([name, schema]) => [name, this.value(schema, name)]);
  }

  /** Fields in any order, with any white space, and sometimes an unknown field. */
  object(fields: readonly (readonly [string, string])[]): string {
    const all = this.#chance.isTrue(0.2) ? [...fields, [`x-${this.#chance.below(99)}`, this.#anything()]] : [...fields];
    const pairs = this.#shuffle(all).map(
      ([name = '', value = '']) => `${this.text(name)}${this.#gap()}:${this.#gap()}${value}`,
    );
    return `{${this.#gap()}${pairs.join(`${this.#gap()},${this.#gap()}`)}}`;
  }

  integer(value: number): string {
    const [first = '0', ...digits] = String(value);
    const spellings = [
      String(value),
      `${value}.0`,
      `${value}.000`,
      `${value}e0`,
      `${value}E+0`,
      `${first}.${digits.join('') || '0'}e${digits.length}`,
      `${value}e-0`,
    ];
    if (value === 0) spellings.push('-0', '0e5', '0.0e-9', '1e-400');
    else spellings.push(`${value}0e-1`);
    return this.#chance.pick(spellings);
  }

  text(value: string): string {
    const plain = JSON.stringify(value);
    if (!this.#chance.isTrue(0.2)) return plain;
    // Escapes every UTF-16 code unit, so an emoji becomes a surrogate pair.
    let escaped = '';
    for (let at = 0; at < value.length; at += 1) {
      escaped += `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }
    return `"${escaped}"`;
  }

  instant(): string {
    const { pick } = this.#chance;
    return `${pick(DATES)}T${pick(CLOCKS)}${pick(FRACTIONS)}${pick(OFFSETS)}`;
  }

  #string({ format, minLength = 0, maxLength = 64 }: Schema, name: string): string {
    if (format === 'date-time') return this.instant();
    const known = BY_NAME[name];
    if (known !== undefined) return this.#chance.pick(known);
    if (this.#chance.isTrue(0.05)) return '😀'.repeat(maxLength);
    const text = Array.from(this.#chance.pick(TEXTS)).slice(0, maxLength).join('');
    return text.length < minLength ? 'x'.repeat(minLength) : text;
  }

  #degrees(name: string): string {
    const limit = name === 'latitude' ? 90 : 180;
    if (this.#chance.isTrue(0.15)) {
      return this.#chance.pick(['0', '-0.0', '1e-400', `${limit}`, `-${limit}.0`, `${limit}e0`, '1E-7', '0.0001e3']);
    }
    const thousandths = NEAR[name === 'latitude' ? 'latitude' : 'longitude'] * 1000 + this.#chance.below(20);
    const degrees = (thousandths / 1000).toFixed(3);
    return this.#chance.pick([degrees, `${degrees}0000000000000000001`, `${thousandths}e-3`, `${degrees}E0`]);
  }

  #list({ items = {}, maxItems = 5 }: Schema): string {
    const count = this.#chance.isTrue(0.02) ? maxItems : this.#chance.below(Math.min(maxItems, 3) + 1);
    return `[${Array.from({ length: count }, () => this.value(items)).join(`,${this.#gap()}`)}]`;
  }

  #pairs({ maxProperties = 5 }: Schema): string {
    const count = this.#chance.below(Math.min(maxProperties, 4));
    const names = Array.from({ length: count }, (_, index) => `k${index}`);
    const pairs = names.map((name) => `${this.text(name)}${this.#gap()}:${this.text(this.#chance.pick(TEXTS))}`);
    return `{${pairs.join(',')}}`;
  }

  #anything(): string {
    return this.#chance.pick([
      'null',
      'true',
      '1e-400',
      '-0.0',
      '1.50',
      '[]',
      '[[{}]]',
      '{"a":{"b":[1.0]}}',
      '"\\ud83d\\ude00"',
    ]);
  }

  #between(min: number, max: number): number {
    return this.#chance.pick([min, max, min + this.#chance.below(Math.min(max - min, 60) + 1)]);
  }

  #gap(): string {
    return this.#chance.isTrue(0.9) ? '' : this.#chance.pick([' ', '\n', '\t', '\r\n  ']);
  }

  #shuffle<Item>(items: readonly Item[]): Item[] {
    const drawn = items.map((item) => ({ item, rank: this.#chance.below(1e9) }));
    return drawn.toSorted((one, other) => one.rank - other.rank).map(({ item }) => item);
  }
}
