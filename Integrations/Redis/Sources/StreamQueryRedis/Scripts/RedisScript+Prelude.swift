extension RedisScript {
  /// The functions that all scripts share.
  ///
  /// A namespace has these keys, where `text` is a key's text:
  ///
  /// - `state`, a hash: `history`; `run`, the server that began the history; `last`, the last version;
  ///   `token`, the last token; `marks`, the number of marks; `floor`, the version of the last forgotten
  ///   invalidation: older entries are invalid.
  /// - `log`, a stream: each message has the version of the message before it as `p`, so that a missing
  ///   message is noticed.
  /// - `marks`, a sorted set: the last invalidation of each mark.
  /// - `e:text`, a hash: the entry, with history, version, the last version before its lease, time,
  ///   the time of its lease, form, marks and bytes.
  /// - `l:text`, a hash: the lease, with history, token, the last version before it, marks, the time when it
  ///   was taken, and the name of the attempt that took it.
  /// - `c:name`, a number: the number of the last connection of a store object, for a few seconds.
  ///
  /// A version is a number here: milliseconds times 2048, and the count, which begins at the microseconds, so
  /// that versions rise from one history to the next too. Lua represents it exactly until the year 2109. All
  /// values are checked when they are read. A value that another program wrote, or that was evicted or
  /// damaged, counts as missing, or begins another history, and is never an error.
  static let prelude = """
    local state, log, marks = KEYS[1], KEYS[2], KEYS[3]
    local keep = 1000 * 2048 * (7 * 86400 + 3600)
    local most = 262144
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    local present = math.floor(now / 1000) * 2048 + now % 1000
    local history, run, last, token, floor, count

    local function text(number) return string.format('%.0f', number) end

    local function whole(value)
      if type(value) ~= 'string' or #value > 16 or not string.match(value, '^%d+$') then
        return nil
      end
      local number = tonumber(value)
      if number > 9007199254730000 then return nil end
      return number
    end

    local function ordinal(value)
      if type(value) ~= 'string' or #value > 20 then return nil end
      local first, second = string.match(value, '^(%d+)-(%d+)$')
      first, second = whole(first), whole(second)
      if not first or not second or first > 4398046511000 or second > 2047 then return nil end
      return first * 2048 + second
    end

    local function version(number)
      local first = math.floor(number / 2048)
      return text(first) .. '-' .. text(number - first * 2048)
    end

    -- A master that was a replica meanwhile has another replication id, and the same run id. The
    -- former changes too when the first replica comes, which costs one beginning more than needed.
    local function server()
      local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unknown'
      local data = redis.call('INFO', 'replication')
      local id = string.match(data, 'master_replid:(%w+)') or 'unknown'
      return string.sub(run, 1, 20) .. string.sub(id, 1, 20)
    end

    -- Nothing from before can be trusted: entries and leases of another history do not count.
    local function begin()
      redis.call('DEL', state, log, marks)
      run = server()
      history = run .. '-' .. text(now)
      last, token, floor, count = 0, now, 0, 0
      redis.call('HSET', state, 'history', history, 'run', run, 'last', '0',
        'token', text(token), 'floor', '0', 'marks', '0')
    end

    -- What others put under a key may have any type. Other refusals end the script.
    local function try(...)
      local result = redis.pcall(...)
      if type(result) ~= 'table' or not result.err then return result end
      if string.find(result.err, 'WRONGTYPE', 1, true) then return { err = result.err } end
      return redis.call(...)
    end

    -- A replica refuses this, so that nobody takes what it has for the truth. It changes nothing.
    local function insist() redis.call('PERSIST', state) end

    local function load()
      local f = try('HMGET', state, 'history', 'run', 'last', 'token', 'floor', 'marks')
      if f.err then return begin() end
      history, run = f[1], f[2]
      last, token, floor, count = whole(f[3]), whole(f[4]), whole(f[5]), whole(f[6])
      if not string.match(history or '', '^%w+-%d+$') then return begin() end
      if not (history and run and last and token and floor and count) then return begin() end
      local there = try('ZCARD', marks)
      if there ~= count then return begin() end
    end

    -- Whether this server is the one that began the history, and has lost nothing since.
    local function arrive(anew)
      load()
      if anew == '1' and run ~= server() then begin() end
    end

    local function add(length, ...)
      local number = math.max(last + 1, present)
      local id = version(number)
      local added = redis.pcall('XADD', log, 'MAXLEN', '~', length, id, 'p', version(last), ...)
      if type(added) == 'table' and added.err then
        local text = added.err
        -- The log is none, or somebody wrote into it. A server that is full, for one, says so again.
        if string.find(text, 'WRONGTYPE') or string.find(text, ' ID') then
          begin()
          return nil
        end
        redis.call('XADD', log, 'MAXLEN', '~', length, id, 'p', version(last), ...)
      end
      last = number
      redis.call('HSET', state, 'last', text(last))
      return id
    end

    -- Whether one of some marks was invalidated after a version.
    local function invalidated(list, since)
      if since < floor then return true end
      for index = 1, #list do
        if type(list[index]) ~= 'string' then return true end
        local score = redis.call('ZSCORE', marks, list[index])
        if score and tonumber(score) > last then begin() end
        if score and tonumber(score) > since then return true end
      end
      return false
    end

    local function unpacked(text)
      local good, list = pcall(cmsgpack.unpack, text)
      if good and type(list) == 'table' then return list end
      return nil
    end

    -- Whether what has packed marks is invalid, or is so for somebody with other ones.
    local function ended(packed, asked, since)
      local list = unpacked(packed)
      return not list or invalidated(list, since) or invalidated(asked, since)
    end

    local function given(from)
      local list = {}
      for index = from, #ARGV do list[#list + 1] = ARGV[index] end
      return list
    end

    local function put(id, since, requested, lifetime, form, bytes, packed)
      redis.call('DEL', KEYS[4], KEYS[5])
      redis.call('HSET', KEYS[4], 'h', history, 'v', id, 's', text(since), 't', text(now),
        'r', requested, 'f', form, 'm', packed, 'b', bytes)
      redis.call('PEXPIRE', KEYS[4], lifetime)
    end

    -- The lease, if it is valid, and also for somebody with these marks.
    local function lease(asked)
      local f = try('HMGET', KEYS[5], 'h', 'n', 's', 'm', 'o', 'a')
      if f.err or f[1] ~= history or not f[4] then return nil end
      local number, since = whole(f[2]), whole(f[3])
      if not number or number > token or not since or since > last then return nil end
      if ended(f[4], asked, since) then return nil end
      local left = redis.call('PTTL', KEYS[5])
      if left <= 0 then return nil end
      return { token = f[2], marks = f[4], left = left, since = since, holder = f[5],
        taken = whole(f[6]) and f[6] or '' }
    end

    """

  /// The beginning of each script that changes something: the script does nothing after the caller has
  /// given up, or if the same store object has a newer connection.
  ///
  /// Without this check, a delayed command would undo later ones. The last two arguments are the number
  /// of the connection, and the deadline of the command in microseconds of the server's clock. The
  /// last key is the fourth key of ``RedisScript/arrive``.
  static let guardian = """
    local due, connection = tonumber(table.remove(ARGV)), tonumber(table.remove(ARGV))
    local newest = redis.pcall('GET', KEYS[#KEYS])
    if now > due or (whole(newest) or 0) > connection then
      return redis.error_reply('LATE the command came after its time')
    end

    """
}
