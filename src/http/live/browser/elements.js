// Builds the page's elements. Received data is set as text, never as markup.

export const STATES = [
  'NEW',
  'VALIDATED',
  'ROUTED',
  'ASSIGNED',
  'ACCEPTED',
  'PREPARED',
  'ON_DELIVERY',
  'DELIVERED',
  'CANCELED',
];

/** The steps of an order; some orders skip some of them. */
const WAY = STATES.slice(1, 8);

export function element(name, { className, text, state, children = [] } = {}) {
  const made = document.createElement(name);
  if (className !== undefined) made.className = className;
  if (text !== undefined) made.textContent = text;
  if (state !== undefined) made.dataset.state = state;
  made.append(...children);
  return made;
}

export function chip(state) {
  return element('span', { className: 'chip', text: state, state });
}

export function stateCounts(orders) {
  return STATES.map((state) => {
    const count = orders.filter((order) => order.state === state).length;
    return element('li', {
      className: count === 0 ? 'chip none' : 'chip',
      state,
      children: [element('span', { text: state }), element('span', { text: String(count) })],
    });
  });
}

export function orderItem(order) {
  const isOver = order.state === 'DELIVERED' || order.state === 'CANCELED';
  const time = element('span', { className: 'age' });
  if (isOver) time.textContent = `after ${duration(order.changedAt - order.createdAt)}`;
  else time.dataset.since = String(order.createdAt);
  const about = element('p', {
    className: 'second',
    children: [
      element('span', { className: 'mono', text: order.orderId }),
      ...(order.courierName === null ? [] : [` · ${order.courierName}`]),
      ...(order.cancelReasonId === null ? [] : [` · ${order.cancelReasonId}`]),
    ],
  });
  about.title = `${order.orderId}, ${order.restaurantName}`;
  return element('li', {
    className: 'order',
    state: order.state,
    children: [
      element('p', { className: 'number', text: order.orderNumber }),
      element('p', { className: 'right', children: [chip(order.state)] }),
      about,
      element('p', { className: 'second right', children: [time] }),
      track(order.state),
    ],
  });
}

function track(state) {
  const reached = WAY.indexOf(state);
  const steps = WAY.map((step, index) => {
    if (state === 'CANCELED') return element('span', { className: 'done passed' });
    const isReached = index <= reached;
    return element('span', { className: isReached ? (index < reached ? 'done passed' : 'done') : '' });
  });
  const made = element('div', { className: 'track', children: steps });
  made.setAttribute('aria-hidden', 'true');
  return made;
}

const SIGNATURES = { verified: ['✓ ', 'valid'], wrong: ['✗ ', 'invalid'] };

export function webhookItem(webhook) {
  const details = element('details', {
    children: [element('summary', { children: webhookHead(webhook) })],
  });
  // Created when first opened: most bodies are never viewed.
  details.addEventListener('toggle', () => details.append(element('pre', { className: 'body', text: webhook.body })), {
    once: true,
  });
  return element('li', { className: 'webhook', children: [details] });
}

function webhookHead(webhook) {
  const signature = signatureOf(webhook);
  const facts = [
    element('span', { className: 'mono', text: webhook.event }),
    signature,
    ...(webhook.isRepeated ? [element('span', { text: 'duplicate' })] : []),
    ...(webhook.answered === 200 ? [] : [element('span', { text: `status ${webhook.answered}` })]),
  ];
  return [
    element('span', { className: 'change', children: whatChanged(webhook) }),
    element('span', { className: 'latency', text: webhook.latencyMs === null ? '' : duration(webhook.latencyMs) }),
    element('span', { className: 'facts', children: facts }),
    element('span', { className: 'time', text: new Date(webhook.receivedAt).toLocaleTimeString() }),
  ];
}

function signatureOf({ signature }) {
  const [sign, word] = SIGNATURES[signature] ?? [];
  const made = element('span', { className: 'signature', text: sign ?? 'not signed' });
  // This word is hidden on phones.
  if (word !== undefined) made.append(element('span', { className: 'wide', text: 'signature ' }), word);
  made.dataset.signature = signature;
  return made;
}

function whatChanged(webhook) {
  const number = element('span', { className: 'order-number', text: webhook.orderNumber ?? webhook.orderId });
  if (webhook.status === null) {
    const why = [webhook.cancelReasonId, webhook.canceledBy && `by ${webhook.canceledBy}`].filter(Boolean).join(' ');
    return [number, chip('CANCELED'), element('span', { className: 'before', text: why })];
  }
  return [
    number,
    chip(webhook.status),
    element('span', { className: 'before', text: `from ${webhook.previousStatus}` }),
  ];
}

export function duration(ms) {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
