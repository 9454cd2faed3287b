extension RedisScript {
  /// Sees to it that the history is one of this server.
  ///
  /// Its argument is `1` if a restart begins another one.
  static let arrive = RedisScript(
    """
    arrive(ARGV[1])
    insist()
    return 'OK'
    """
  )

  /// Reads an entry, or takes or finds a lease.
  ///
  /// Arguments: the limit of a value, the age in microseconds or `-1`, the lease in milliseconds,
  /// marks.
  static let begin = RedisScript(
    """
    local function entry()
      local f = try('HMGET', KEYS[4], 'h', 'v', 't', 'f', 'm')
      if f.err or f[1] ~= history then return nil end
      local number, at = ordinal(f[2]), whole(f[3])
      if not (number and at and f[4] and f[5]) or number > last or at > now then return nil end
      -- Invalidations are not remembered for longer than an entry may live.
      if number < present - keep or invalidated(f[5], number) then return nil end
      if #f[4] > 1024 then return nil end
      if redis.call('HSTRLEN', KEYS[4], 'b') > tonumber(ARGV[1]) then return nil end
      local bytes = redis.call('HGET', KEYS[4], 'b')
      if not bytes then return nil end
      return { f[2], text(now - at), f[4], bytes }, now - at
    end

    load()
    local found, age = entry()
    local function answer(...)
      local result = { ... }
      if found then for index = 1, #found do result[#result + 1] = found[index] end end
      return result
    end

    if found and age <= tonumber(ARGV[2]) then
      insist()
      return answer('entry')
    end
    local holder, _, left = lease()
    if holder then
      insist()
      return answer('follows', history, version(last), text(left))
    end
    token = math.max(token + 1, now)
    redis.call('HSET', state, 'token', text(token))
    redis.call('DEL', KEYS[5])
    redis.call('HSET', KEYS[5], 'h', history, 'n', text(token), 's', text(last), 'm', pack(4))
    redis.call('PEXPIRE', KEYS[5], ARGV[3])
    return answer('leads', text(token), history)
    """
  )

  /// Makes a lease last.
  ///
  /// Arguments: history, token, milliseconds.
  static let renew = RedisScript(
    """
    load()
    if ARGV[1] ~= history or lease() ~= ARGV[2] then return { 'lost' } end
    redis.call('PEXPIRE', KEYS[5], ARGV[3])
    return { 'done' }
    """
  )

  /// Makes a value the entry of a lease's key.
  ///
  /// Arguments: history, token, length of the log, key, milliseconds, form, bytes.
  static let commit = RedisScript(
    """
    load()
    local holder, packed = lease()
    if ARGV[1] ~= history or holder ~= ARGV[2] then return { 'lost' } end
    local id = add(ARGV[3], 'k', 'c', 'key', ARGV[4])
    if not id then return { 'lost' } end
    put(id, ARGV[5], ARGV[6], ARGV[7], packed)
    return { 'done', id }
    """
  )

  /// Ends a lease without a value.
  ///
  /// Arguments: length of the log, key, whether there is a failure, the failure, history or nothing,
  /// token. The token is the last, so that the lease of a caller who left can be given back.
  static let abandon = RedisScript(
    """
    load()
    if ARGV[5] ~= '' and ARGV[5] ~= history or lease() ~= ARGV[6] then return { 'lost' } end
    redis.call('DEL', KEYS[5])
    if ARGV[3] == '1' then
      add(ARGV[1], 'k', 'a', 'key', ARGV[2], 'f', ARGV[4])
    else
      add(ARGV[1], 'k', 'a', 'key', ARGV[2])
    end
    return { 'done' }
    """
  )

  /// Makes a value the entry of a key.
  ///
  /// Arguments: length of the log, key, milliseconds, form, bytes, marks.
  static let write = RedisScript(
    """
    load()
    local id = add(ARGV[1], 'k', 'w', 'key', ARGV[2]) or add(ARGV[1], 'k', 'w', 'key', ARGV[2])
    put(id, ARGV[3], ARGV[4], ARGV[5], pack(6))
    return { 'done', id }
    """
  )

  /// Invalidates marks.
  ///
  /// Arguments: length of the log, marks.
  static let invalidate = RedisScript(
    """
    load()
    local fields = { 'k', 'i' }
    for index = 2, #ARGV do
      fields[#fields + 1] = 'm'
      fields[#fields + 1] = ARGV[index]
    end
    local id = add(ARGV[1], unpack(fields)) or add(ARGV[1], unpack(fields))
    for index = 2, #ARGV do redis.call('ZADD', marks, text(last), ARGV[index]) end
    local oldest = math.max(0, math.min(last, present) - keep)
    redis.call('ZREMRANGEBYSCORE', marks, '-inf', text(oldest))
    count = redis.call('ZCARD', marks)
    if count > most then
      redis.call('DEL', marks)
      count, floor = 0, last
    end
    redis.call('HSET', state, 'marks', text(count), 'floor', text(floor))
    return { 'done', id }
    """
  )

  /// Reads the log.
  ///
  /// Arguments: whether a restart begins another history, the position's history or nothing, its
  /// version, how many messages at most.
  static let changes = RedisScript(
    """
    arrive(ARGV[1])
    insist()
    local top = try('XREVRANGE', log, '+', '-', 'COUNT', '1')
    -- Somebody else wrote there.
    if top.err or (top[1] and (ordinal(top[1][1]) or math.huge) > last) then begin() end
    local from = ordinal(ARGV[3])
    if ARGV[2] == '' then return { 'changes', history, version(last), {} } end
    if ARGV[2] ~= history or not from or from > last then
      return { 'gap', history, version(last) }
    end
    if from == last then return { 'changes', history, version(last), {} } end
    local messages = redis.call('XRANGE', log, '(' .. ARGV[3], '+', 'COUNT', ARGV[4])
    if #messages == 0 then return { 'gap', history, version(last) } end
    return { 'changes', history, version(last), messages }
    """
  )
}
