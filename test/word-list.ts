// Words that a professional reader stumbles over, each with its replacement: private metaphors, the previous wording of
// texts, and British spellings. words.test.ts looks for them in everything that people read.

export interface BannedWord {
  /** Matched against the words of a text in lower case: `findOwnOrder` is `find own order`. */
  pattern: RegExp;
  /** The pattern is matched against the text as it is, because capitals or underscores matter. */
  isVerbatim?: true;
  instead: string;
  /** A line in which the word must be found. */
  sample: string;
  /** A line in which it must not be found. */
  innocent?: string;
}

const METAPHORS: BannedWord[] = [
  {
    pattern: /\b(mend|mends|mended|mending)\b/,
    instead: 'fix or repair',
    sample: 'mendDropoff()',
    innocent: 'amended',
  },
  { pattern: /\b(anew|afresh)\b/, instead: 'again', sample: 'readListsAnew()', innocent: 'an AreaNews' },
  { pattern: /\b(tells?|told|telling|untold)\b/, instead: 'report, notify, send or distinguish', sample: 'isTold' },
  { pattern: /\b(who|what)(so)?ever\b/, instead: 'anyone who, regardless of', sample: 'Whoever stops it' },
  { pattern: /\bvouch(es|ed)?\b/, instead: 'issue, guarantee', sample: 'nobody vouches for it', innocent: 'VOUCHER' },
  { pattern: /\bnoughts?\b/, instead: 'zero', sample: 'with three noughts' },
  { pattern: /\bbirths?\b/, instead: 'new leases', sample: 'findBirths(tx)' },
  { pattern: /\bbreath(e|es|s)?\b/, instead: 'yield point', sample: 'await breathe();' },
  { pattern: /\bdesks?\b/, instead: 'planner, reads, page or scene', sample: 'new AreaDesk()', innocent: 'a desktop' },
  {
    pattern: /\b(begin|end|request|call|this|per) ?\.?visits?\b|\bvisitors?\b/,
    instead: 'request context, client or page',
    sample: 'beginVisit(request)',
    innocent: 'const visit = (node) => {}',
  },
  { pattern: /\bbooks?\b/, instead: 'cache, registry or log', sample: 'new TravelBook()', innocent: 'a bookmark' },
  { pattern: /\bbells?\b(?! off)/, instead: 'notifier', sample: 'createBell(db)', innocent: 'BellOff' },
  { pattern: /\bhelpings?\b/, instead: 'batch', sample: 'helpingRows', innocent: 'helper' },
  {
    pattern: /\bspells?\b(?! ?check)/,
    instead: 'outage',
    sample: 'insertFailingSpell(tx)',
    innocent: 'spellCheck={false}',
  },
  {
    // A customer's door and the published measure "click to door" are real doors.
    pattern: /(?<!lickTo|_)(?:Door(?=[A-Z(<])|DOOR)|\bdoors?(?=\.\w|: | =>|[A-Z])(?!Code)/,
    isVerbatim: true,
    instead: 'guard, receiver, node or drop-off',
    sample: 'openDoorFor(node)',
    innocent: 'LEAVE_AT_DOOR: "Leave it at the door", doorCode, clickToDoorMinutes',
  },
  {
    pattern: /\b(const|let|own|front|second|its) doors?\b/,
    instead: 'guard, receiver, node or drop-off',
    sample: 'const door of doors',
    innocent: 'at the door',
  },
  { pattern: /(\b|_)MOST_|\bmost[A-Z]/, isVerbatim: true, instead: 'max', sample: 'MOST_ROWS', innocent: 'at most 3' },
  { pattern: /\b(cannonade|ballast)\b/, instead: 'the thing itself', sample: 'cannonade(load)' },
  { pattern: /\bheard (of|from)\b/, instead: 'contact', sample: 'Courier not heard of' },
  { pattern: /\bhurr(y|ied)\b/, instead: 'fast clock, speed', sample: 'createHurriedClock()' },
  { pattern: /\b(fate|fates|fated)\b/, instead: 'outcome, behavior', sample: 'the fate of a request' },
  { pattern: /\bacquaintances?\b/, instead: 'known couriers', sample: 'const acquaintances' },
  { pattern: /\btrespass(es)?\b/, instead: 'forbidden import, violation', sample: 'findTrespass(file)' },
];

const PREVIOUS_WORDING: BannedWord[] = [
  { pattern: /\bin question\b/, instead: 'the name of the thing', sample: 'the order in question' },
  { pattern: /\bcom(e|es|ing) into\b/, instead: 'the verb for it', sample: 'when it comes into effect' },
  { pattern: /\bstands? back\b|\bgives? way\b/, instead: 'yield', sample: 'What is late gives way.' },
  { pattern: /\blet(s|ting)? go\b/, instead: 'release', sample: 'the node lets go of it' },
  { pattern: /\bby (itself|themselves)\b/, instead: 'automatically', sample: 'Canceled by itself' },
  { pattern: /\bneeds? you\b/, instead: 'need attention', sample: '3 things need you' },
  { pattern: /\bthe matter\b/, instead: 'issue', sample: 'What is the matter' },
  { pattern: /\bleast bad\b/, instead: 'best available', sample: 'Least bad' },
  { pattern: /\bnobody (is called|who|cooks)\b/, instead: 'a sentence with an actor', sample: 'Nobody who is trusted' },
  { pattern: /\bnobody (can|could) be\b|\bno way is\b/, instead: 'no courier, no route', sample: 'nobody can be sent' },
  { pattern: /\bin vain\b/, instead: 'the number that arrived', sample: 'The receiver waited in vain' },
  { pattern: /\btorn apart\b/, instead: 'the property that is wrong', sample: 'order 3 is torn apart' },
  {
    pattern: /\bis no (id|uuid|whole number|list|table)\b/,
    instead: 'is not a',
    sample: 'x is no id',
    innocent: 'is not a UUID',
  },
  { pattern: /\bno such thing\b/, instead: 'not found', sample: 'There is no such thing here' },
  { pattern: /\bdoes not work now\b/, instead: 'is unavailable', sample: 'The database does not work now' },
  { pattern: /\brightly\b/, instead: 'correctly', sample: 'rightly signed', innocent: 'brightly' },
  { pattern: /\bis looked for\b/, instead: 'search for, find', sample: 'another courier is looked for' },
  { pattern: /\ball the same\b/, instead: 'anyway, or leave it out', sample: 'tidies up all the same' },
  { pattern: /\bis asked at\b/, instead: 'offer sent at', sample: 'Is asked at' },
  { pattern: /\b(cannot|can't|could not) keep\b/, instead: "couldn't save", sample: 'This phone could not keep it' },
];

const BRITISH: BannedWord[] = [
  { pattern: /\bcancell(ed|er|ers|ing|able)\b/, instead: 'canceled', sample: 'isCancelled', innocent: 'cancellation' },
  { pattern: /\bcolou?red ?in\b|\bcolour/, instead: 'color', sample: 'the colour of a pin' },
  { pattern: /\b(behavi|neighb|fav|hon|lab|flav|arm|harb)our/, instead: '-or', sample: 'class Neighbourhood' },
  { pattern: /\b(centre|metre|litre|fibre|theatre|kilometre)s?\b/, instead: '-er', sample: 'CITY_CENTRE' },
  {
    pattern:
      /\b(re)?(serial|recogn|normal|summar|initial|author|organ|minim|maxim|optim|util|synchron|priorit|final|categor|canonical|material|custom|anonym|token|random|special|general|apolog)is(e|es|ed|er|ing|ation)\b/,
    instead: '-ize',
    sample: 'function summarise()',
    innocent: 'otherwise, a promise',
  },
  { pattern: /\banalys(e|ed|ing)\b/, instead: 'analyze', sample: 'analyse the log', innocent: 'an analysis' },
  { pattern: /\bgrey/, instead: 'gray', sample: 'grey text' },
  { pattern: /\b(licence|defence|offence)s?\b/, instead: '-se', sample: 'the licence of a package' },
  {
    pattern: /\b(label|dial|model|travel|tunnel|signal|fuel|level|total|marshal)l(ed|ing|er)\b/,
    instead: 'one l',
    sample: 'noteDialled(origin)',
    innocent: 'aria-labelledby, totally',
  },
  { pattern: /\b(learnt|spoilt|misspelt|burnt|dreamt|leapt|smelt)\b/, instead: '-ed', sample: 'onLearnt()' },
  { pattern: /\bjudgements?\b/, instead: 'judgment', sample: 'a Judgement' },
  {
    pattern: /\b(whilst|amongst|towards|backwards)\b/,
    instead: 'while, among, toward, backward',
    sample: 'towards it',
  },
  {
    pattern: /\b(catalogue|dialogue|programme|cheque|storey|tyre|kerb|plough|sceptical)s?\b/,
    instead: 'the American spelling',
    sample: 'a flat tyre',
  },
  { pattern: /\b(fulfil|fulfils|enrol|enrols|instal|skilful)\b/, instead: 'two l', sample: 'to fulfil it' },
];

export const BANNED_WORDS: readonly BannedWord[] = [...METAPHORS, ...PREVIOUS_WORDING, ...BRITISH];

/** Names in the database or in JSON. They cannot change while older nodes, open pages or integrators use them. */
export const FIXED_NAMES: readonly { name: string; in: string }[] = [
  { name: 'failing_spells', in: 'schema.sql' },
  { name: 'spell_id', in: 'schema.sql' },
  { name: 'told_at', in: 'schema.sql' },
  { name: 'NOT_HEARD_OF', in: 'src/domain/couriers/candidate.ts' },
  { name: 'mostCounted', in: 'src/contract/panel/webhooks/health.ts' },
  { name: 'reserialised', in: 'src/domain/webhooks/signature-diagnosis.ts' },
];
