import { type Call, type CommandTable, done, OK, refuse, text } from './call.js';

/** What concerns the connection, not the keys. */
export const CONNECTION_COMMANDS: CommandTable = {
  ping: { arity: -1, run: ping },
  echo: { arity: 2, run: (call) => done(call.out.bulk(text(call, 1))) },
  client: { arity: -2, run: client },
};

function ping(call: Call): boolean {
  if (call.argumentCount > 2) return refuse(call, "ERR wrong number of arguments for 'ping' command");
  if (call.argumentCount === 2) call.out.bulk(text(call, 1));
  else call.out.simple('PONG');
  return true;
}

function client(call: Call): boolean {
  const what = text(call, 1).toLowerCase();
  if (what === 'id') return done(call.out.integer(call.session.id));
  if (what === 'getname')
    return done(call.session.name === '' ? call.out.nothing() : call.out.bulk(call.session.name));
  if (what === 'setname' && call.argumentCount === 3) {
    call.session.name = text(call, 2);
    return done(call.out.raw(OK));
  }
  if (what === 'setinfo' && call.argumentCount === 4) return done(call.out.raw(OK));
  return refuse(call, 'ERR this target knows only CLIENT ID, GETNAME, SETNAME and SETINFO');
}
